import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import { counted, formatCount } from '#ui/text/amount.ts';
import { useShowMore } from '../../show-more.tsx';
import { maxManifestBytes } from '../editor/json-fields.ts';
import type { EditorCheck, PlacedProblem } from '../editor/manifest-editor.tsx';

const shownAtFirst = 5;
const limitKib = maxManifestBytes / 1024;

/** The problems of the text, with links to their places, and the size of the text. */
export function ProblemList({ check, onGoTo }: { check: EditorCheck; onGoTo: (problem: PlacedProblem) => void }) {
  const { problems, bytes } = check;
  const { shown, more } = useShowMore(problems, shownAtFirst);
  const Icon = problems.length === 0 ? CircleCheck : CircleAlert;
  return (
    <div className="flex flex-col gap-2 text-[0.8125rem]">
      <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-quiet">
        <p role="status" className="flex items-center gap-1.5">
          <Icon aria-hidden size={15} className={problems.length === 0 ? 'text-good' : 'text-bad'} />
          {problems.length === 0 ? 'No problems found' : counted(problems.length, 'problem')}
        </p>
        <p>
          <kbd className="font-sans">Escape</kbd>, then <kbd className="font-sans">Tab</kbd>, leaves the editor.{' '}
          <span className="tabular-nums">
            {formatCount(Math.ceil(bytes / 1024))} of {limitKib} KiB
          </span>
        </p>
      </div>
      {problems.length > 0 && (
        <ul aria-label="Problems" className="divide-y divide-line rounded-md border border-line bg-surface">
          {shown.map((problem) => (
            <li key={`${problem.from} ${problem.message}`}>
              <button
                type="button"
                onClick={() => onGoTo(problem)}
                className="flex w-full items-baseline gap-3 px-3 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
              >
                <span className="shrink-0 text-quiet tabular-nums">Line {problem.line}</span>
                <span className="min-w-0 wrap-anywhere">{problem.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {more}
    </div>
  );
}
