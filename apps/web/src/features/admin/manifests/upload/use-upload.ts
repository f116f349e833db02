import { ApiError } from '@souk/contract/client.ts';

import { useEffect, useRef, useState } from 'react';
import { adminApi } from '../../admin-api.ts';
import { readDraft, writeDraft } from '../../draft-store.ts';
import { manifestFault, readManifestFile, type ManifestFault } from './check-manifest.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { manifestTemplate } from './manifest-template.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

/** What is about to be uploaded. */
export type UploadDraft = {
  text: string;
  /** null: it was pasted. */
  fileName: string | null;
  /** It was changed since it came out of its file. */
  isEdited: boolean;
};

const draftName = 'upload';
/** A keystroke in 256 KiB of text must not write them to the disk. */
const storedAfterMs = 400;

/** The text of the upload panel: where it comes from, what is wrong with it, and its way to the broker. */
export function useUpload(userId: string) {
  const [draft, setDraft] = useState(() => parseDraft(readDraft(userId, draftName)));
  const [fault, setFault] = useState<ManifestFault>();
  /** What is wrong with a file that was not read: no fault of the draft. */
  const [refused, setRefused] = useState<ManifestFault>();
  const changed = useManifestsChanged(userId);
  useStoredDraft(userId, draft);

  const upload = useSingleMutation({
    mutationFn: (text: string) => adminApi.createManifest({ query: {}, body: text }),
    onSuccess: (_answer, text) => {
      // what was typed meanwhile stays
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
        // another file's text is not what was chosen; what a person has written stays
        begin(draft?.isEdited && draft.text !== '' ? draft : undefined);
        setRefused(read);
        return;
      }
      begin({ text: read, fileName: file.name, isEdited: false });
      const found = manifestFault(read, 'file');
      if (found) setFault(found);
    },
    /** Checks here what can be checked, then sends the text as it stands. */
    send(): void {
      const text = draft?.text ?? '';
      const found = manifestFault(text, draft && !draft.isEdited ? 'file' : 'typed');
      setFault(found);
      setRefused(undefined);
      if (!found && !upload.isPending) upload.mutate(text);
    },
  };
}

/** Fields that the broker found wrong, each with its path. One alone stands in the message already. */
export function faultyFields(error: unknown): ApiError['issues'] {
  return error instanceof ApiError && error.issues.length > 1 ? error.issues : [];
}

/** Keeps the draft in this tab: a lapsed sign-in leaves the page. */
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
    return undefined; // something else stands there
  }
}
