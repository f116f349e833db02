import { Notice } from '#ui/state/notice.tsx';
import type { ManifestFault } from './check-manifest.ts';

/** The fault in the specification's words; below it the place, or the list of fields. */
export function UploadFault({
  fault,
  fields = [],
}: {
  fault: ManifestFault;
  fields?: readonly { path: string; message: string }[];
}) {
  return (
    <Notice tone="bad">
      <p className="font-medium">{fault.text}</p>
      {fault.detail !== undefined && <p className="text-[0.8125rem] text-quiet">{fault.detail}</p>}
      {fields.length > 0 && (
        <ul className="mt-1 max-h-48 list-disc overflow-y-auto pl-4 text-[0.8125rem]">
          {fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
