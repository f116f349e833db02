import { ApiError } from '@souk/contract/client.ts';
import { useEffect, useRef, useState } from 'react';
import { adminApi } from '../../admin-api.ts';
import { readDraft, writeDraft } from '../../draft-store.ts';
import { manifestFault, readManifestFile, type ManifestFault } from './check-manifest.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { manifestTemplate } from './manifest-template.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

export type UploadDraft = {
  text: string;
  /** null if it was pasted. */
  fileName: string | null;
  /** Whether the text was edited after it was read from the file. */
  isEdited: boolean;
};

const draftName = 'upload';
/** Pause in typing before the draft is stored, since it may be 256 KiB. */
const storedAfterMs = 400;

export function useUpload(userId: string) {
  const [draft, setDraft] = useState(() => parseDraft(readDraft(userId, draftName)));
  const [fault, setFault] = useState<ManifestFault>();
  /** Why a file was not read; the draft itself may be fine. */
  const [refused, setRefused] = useState<ManifestFault>();
  const changed = useManifestsChanged(userId);
  useStoredDraft(userId, draft);

  const upload = useSingleMutation({
    mutationFn: (text: string) => adminApi.createManifest({ query: {}, body: text }),
    onSuccess: (_answer, text) => {
      // text typed during the upload stays
      setDraft((now) => (now?.text === text ? undefined : now));
      void changed();
    },
  });

  function begin(next: UploadDraft | undefined): void {
    setFault(undefined);
    setRefused(undefined);
    upload.reset();
    setDraft(next);
  }

  return {
    draft,
    fault,
    refused,
    upload,
    startFromTemplate: () => begin({ text: manifestTemplate, fileName: null, isEdited: true }),
    paste: () => begin(draft?.fileName === null ? draft : { text: '', fileName: null, isEdited: true }),
    discard: () => begin(undefined),
    edit(text: string): void {
      setFault(undefined);
      setRefused(undefined);
      setDraft((now) => ({ text, fileName: now?.fileName ?? null, isEdited: true }));
    },
    async choose(file: File): Promise<void> {
      const read = await readManifestFile(file);
      if (typeof read !== 'string') {
        // the previous file's text is dropped, but edited text stays
        begin(draft?.isEdited && draft.text !== '' ? draft : undefined);
        setRefused(read);
        return;
      }
      begin({ text: read, fileName: file.name, isEdited: false });
      const found = manifestFault(read, 'file');
      if (found) setFault(found);
    },
    /** Checks the text, then sends it unchanged. */
    send(): void {
      const text = draft?.text ?? '';
      const found = manifestFault(text, draft && !draft.isEdited ? 'file' : 'typed');
      setFault(found);
      setRefused(undefined);
      if (!found && !upload.isPending) upload.mutate(text);
    },
  };
}

/** Returns the invalid fields if there are several. A single one is in the message already. */
export function faultyFields(error: unknown): ApiError['issues'] {
  return error instanceof ApiError && error.issues.length > 1 ? error.issues : [];
}

/** Stores the draft in this tab, since the browser leaves the page when the session ends. */
function useStoredDraft(userId: string, draft: UploadDraft | undefined): void {
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
    const timer = setTimeout(() => store(userId, draft), storedAfterMs);
    return () => clearTimeout(timer);
  }, [userId, draft]);
  useEffect(() => {
    const storeNow = () => store(userId, latest.current);
    window.addEventListener('pagehide', storeNow);
    return () => {
      window.removeEventListener('pagehide', storeNow);
      storeNow();
    };
  }, [userId]);
}

function store(userId: string, draft: UploadDraft | undefined): void {
  writeDraft(
    userId,
    draftName,
    draft && (draft.text !== '' || draft.fileName !== null) ? JSON.stringify(draft) : undefined,
  );
}

function parseDraft(stored: string | undefined): UploadDraft | undefined {
  try {
    const { text, fileName, isEdited } = Object(JSON.parse(stored ?? 'null'));
    if (typeof text !== 'string') return undefined;
    return { text, fileName: typeof fileName === 'string' ? fileName : null, isEdited: isEdited !== false };
  } catch {
    return undefined; // not a draft of ours
  }
}
