import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../language.ts';
import { store, useStore } from './store.ts';

/** Draws the content of a dialog. @param close ends it */
type Content = (close: () => void) => ComponentChildren;

interface Open {
  readonly id: number;
  readonly kind: string;
  readonly label: string;
  readonly content: Content;
  readonly onClosed: () => void;
}

const open = store<readonly Open[]>([]);
let lastId = 0;

/** Opens a dialog over everything; resolves when it is closed. @param kind class and test id */
export function showDialog(kind: string, label: string, content: Content): Promise<void> {
  return new Promise((onClosed) => {
    open.set([...open.get(), { id: ++lastId, kind, label, content, onClosed }]);
  });
}

/**
 * Asks a question, under the verb that it is about.
 * @param kind of the yes: `danger` where something ends or is lost
 * @returns whether the answer is yes
 */
export async function confirmed(
  question: string,
  yes: string,
  kind: 'danger' | 'primary' = 'danger',
): Promise<boolean> {
  let answer = false;
  await showDialog('question', question, (close) => (
    <>
      <h2>{yes}</h2>
      <p>{question}</p>
      <div class="row end">
        <button type="button" data-testid="no" onClick={close}>
          {t('cancel')}
        </button>
        <button
          type="button"
          class={kind === 'danger' ? 'primary danger' : 'primary'}
          data-testid="yes"
          onClick={() => {
            answer = true;
            close();
          }}
        >
          {yes}
        </button>
      </div>
    </>
  ));
  return answer;
}

/** Where the dialogs stand. */
export function Dialogs() {
  return (
    <>
      {useStore(open).map((one) => (
        <Modal key={one.id} {...one} />
      ))}
    </>
  );
}

function Modal({ id, kind, label, content, onClosed }: Open) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const forget = () => {
    open.set(open.get().filter((one) => one.id !== id));
    onClosed();
  };
  return (
    <dialog ref={element} class={kind} data-testid={kind} aria-label={label} onClose={forget}>
      {content(() => element.current?.close())}
    </dialog>
  );
}
