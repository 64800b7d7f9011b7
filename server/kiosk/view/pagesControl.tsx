import { useState } from 'preact/hooks';
import { CallError } from '../../pages/manage/client/panel.ts';
import { settingName, settingText, t } from '../../pages/manage/language.ts';
import type { ControlProps } from '../../pages/manage/settingValue.ts';
import { TextField } from '../../pages/manage/ui/card.tsx';
import { showDialog } from '../../pages/manage/ui/dialog.tsx';
import { ValueButton } from '../../pages/manage/ui/editor.tsx';

interface ShownPage {
  readonly name: string;
  readonly url: string;
  readonly seconds?: number;
}

/** As it is typed; `id` tells rows apart while they move. */
interface Row {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly seconds: string;
}

/** The pages by name: how many there are, and the list in a dialog. */
export function PagesControl({ name, entry, isHeld, save }: ControlProps) {
  const label = settingName(name);
  const pages = (entry.value ?? []) as readonly ShownPage[];
  const text = pages.map((page) => page.name).join(', ') || t('empty');
  return (
    <ValueButton
      name={name}
      label={label}
      text={text}
      isHeld={isHeld}
      onClick={() =>
        void showDialog('editor', label, (close) => (
          <PagesEditor
            hint={settingText(name, entry.description)}
            label={label}
            pages={pages}
            save={(wished) => save(name, wished)}
            close={close}
          />
        ))
      }
    />
  );
}

interface EditorProps {
  readonly label: string;
  readonly hint: string;
  readonly pages: readonly ShownPage[];
  readonly save: (pages: unknown) => Promise<void>;
  readonly close: () => void;
}

function PagesEditor({ label, hint, pages, save, close }: EditorProps) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    pages.map(({ name, url, seconds }, id) => ({ id, name, url, seconds: String(seconds ?? '') })),
  );
  const [mistake, setMistake] = useState('');
  const change = (at: number, what: Partial<Row>) =>
    setRows(rows.map((row, index) => (index === at ? { ...row, ...what } : row)));
  const moveUp = (at: number) => {
    const [row, ...rest] = [rows[at]!, rows[at - 1]!];
    setRows([...rows.slice(0, at - 1), row, ...rest, ...rows.slice(at + 1)]);
  };
  const add = () => {
    const id = Math.max(-1, ...rows.map((row) => row.id)) + 1;
    setRows([...rows, { id, name: '', url: 'https://', seconds: '' }]);
  };
  const keep = async () => {
    setMistake('');
    try {
      await save(rows.map(pageOf));
      close();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    }
  };
  return (
    <>
      <h2>{label}</h2>
      <p class="hint">{hint}</p>
      <ol class="page-rows" data-testid="page-rows">
        {rows.map(({ id, name, url, seconds }, at) => (
          <li key={id} class="page-row">
            <TextField
              label={t('name')}
              value={name}
              onText={(text) => change(at, { name: text })}
              testId={`page-name-${at}`}
              maxLength={64}
            />
            <TextField
              label={t('pageAddress')}
              value={url}
              onText={(text) => change(at, { url: text })}
              testId={`page-address-${at}`}
              type="url"
            />
            <TextField
              label={t('pageTurn')}
              value={seconds}
              onText={(text) => change(at, { seconds: text })}
              testId={`page-turn-${at}`}
              isNumber
              maxLength={5}
            />
            <button
              type="button"
              disabled={at === 0}
              aria-label={`${t('moveUp')}: ${name}`}
              data-testid={`page-up-${at}`}
              onClick={() => moveUp(at)}
            >
              ↑
            </button>
            <button
              type="button"
              aria-label={`${t('remove')}: ${name}`}
              data-testid={`page-remove-${at}`}
              onClick={() => setRows(rows.filter((_, index) => index !== at))}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
      <p class="mistake" role="alert" data-testid="editor-mistake">
        {mistake}
      </p>
      <div class="row end">
        <button type="button" class="quiet" data-testid="page-add" onClick={add}>
          {t('pageAdd')}
        </button>
        <span class="grow" />
        <button type="button" data-testid="editor-cancel" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" class="primary" data-testid="editor-save" onClick={() => void keep()}>
          {t('save')}
        </button>
      </div>
    </>
  );
}

/** Seconds that are no number stay as they are: the service says what is wrong with them. */
function pageOf({ name, url, seconds }: Row) {
  const text = seconds.trim();
  const turn = /^\d+$/.test(text) ? Number(text) : text;
  return { name: name.trim(), url: url.trim(), ...(text !== '' && { seconds: turn }) };
}
