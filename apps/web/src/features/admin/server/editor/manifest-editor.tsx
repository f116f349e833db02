import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import { startChecker } from './check-in-worker.ts';
import type { AskedCheck, CheckedText } from './check-text.ts';
import type { Problem, TextRange } from './json-fields.ts';
import { manifestExtensions } from './manifest-extensions.ts';
import { useInShadow } from './use-in-shadow.ts';

/** Pause in typing before the text is checked. */
const checkAfterMs = 250;

export type PlacedProblem = Problem & { line: number };
export type EditorCheck = Omit<CheckedText, 'problems' | 'versionAt'> & { problems: PlacedProblem[] };

export type EditorHandle = {
  text(): string;
  /** Replaces the text in one step of the undo history. */
  replaceText(text: string): void;
  replaceVersion(version: string): void;
  goTo(problem: Problem): void;
};

export type ManifestEditorProps = {
  ref: Ref<EditorHandle>;
  serverId: string;
  serverName: string;
  /** The text at first; afterwards the editor owns it. */
  initialText: string;
  refused: AskedCheck['refused'];
  /** Called on each change; read the text only after a pause. */
  onEdit: () => void;
  onChecked: (checked: EditorCheck) => void;
  /** Called on Ctrl+S. */
  onSave: () => void;
};

/** An editor for a manifest's JSON, with completion, and with problems marked at their fields. */
export function ManifestEditor({ ref, serverId, serverName, initialText, refused, ...props }: ManifestEditorProps) {
  const callbacks = useRef(props);
  callbacks.current = props;
  const asked = useRef(refused);
  const view = useRef<EditorView>(undefined);
  const checkNow = useRef<() => void>(() => {});
  const versionAt = useRef<TextRange>(undefined);

  const host = useInShadow(
    (root) => {
      const checker = startChecker();
      let timer: number | undefined;
      const check = async () => {
        const { doc } = editor.state;
        const checked = await checker.check({ text: doc.toString(), serverId, refused: asked.current });
        if (!checked || editor.state.doc !== doc) return;
        versionAt.current = checked.versionAt;
        editor.dispatch(
          setDiagnostics(
            editor.state,
            checked.problems.map((problem) => ({ ...problem, severity: 'error' })),
          ),
        );
        const problems = checked.problems.map((problem) => ({ ...problem, line: doc.lineAt(problem.from).number }));
        callbacks.current.onChecked({ ...checked, problems });
      };
      const checkLater = () => {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => void check(), checkAfterMs);
      };
      checkNow.current = () => void check();
      const editor = new EditorView({
        root,
        parent: root,
        state: EditorState.create({
          doc: view.current?.state.doc ?? initialText,
          extensions: manifestExtensions({
            serverName,
            onSave: () => callbacks.current.onSave(),
            onChange(changes) {
              const at = versionAt.current;
              if (at) versionAt.current = { from: changes.mapPos(at.from, -1), to: changes.mapPos(at.to, 1) };
              callbacks.current.onEdit();
              checkLater();
            },
          }),
        }),
      });
      view.current = editor;
      void check();
      return {
        destroy() {
          window.clearTimeout(timer);
          checker.end();
          editor.destroy();
        },
      };
    },
    [serverId, serverName],
  );

  useEffect(() => {
    asked.current = refused;
    checkNow.current();
  }, [refused]);

  useImperativeHandle(
    ref,
    () => ({
      text: () => view.current?.state.doc.toString() ?? initialText,
      replaceText: (text) => replace(view.current, undefined, text),
      replaceVersion: (version) => replace(view.current, versionAt.current, JSON.stringify(version)),
      goTo: ({ from, to }) => {
        const length = view.current?.state.doc.length ?? 0;
        const selection = { anchor: Math.min(from, length), head: Math.min(to, length) };
        view.current?.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }) });
        view.current?.focus();
      },
    }),
    [initialText],
  );

  return <div ref={host} />;
}

/** @param range by default the whole text */
function replace(view: EditorView | undefined, range: TextRange | undefined, insert: string): void {
  if (!view) return;
  const changes = { from: range?.from ?? 0, to: range?.to ?? view.state.doc.length, insert };
  view.dispatch({ changes, userEvent: 'input.replace' });
}
