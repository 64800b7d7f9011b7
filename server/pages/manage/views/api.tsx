import { useEffect, useMemo, useState } from 'preact/hooks';
import { CallError, type Params, panel } from '../client/panel.ts';
import { curlFor, rowOf } from '../client/requests.ts';
import { t } from '../language.ts';
import { Field } from '../ui/card.tsx';
import { copyText } from '../ui/notice.tsx';
import { exampleOf, type OpenApi, type Operation, operationsOf } from './openApi.ts';

/** All that callers can ask for, from the description that the panel brings; each can be tried. */
export function Api() {
  const [api, setApi] = useState<OpenApi>();
  const [filter, setFilter] = useState('');
  useEffect(() => {
    void fetch('openapi.json').then(async (answer) => setApi((await answer.json()) as OpenApi));
  }, []);
  const all = useMemo(() => (api === undefined ? [] : operationsOf(api)), [api]);
  const words = filter.toLowerCase();
  const shown = all.filter(({ path, name, summary }) =>
    `${path} ${name} ${summary}`.toLowerCase().includes(words),
  );
  if (api === undefined) return <p class="hint">{t('loading')}</p>;
  return (
    <div class="wide api">
      <div class="row">
        <input
          type="search"
          aria-label={t('filter')}
          placeholder={t('filter')}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <a href="openapi.json">openapi.json</a>
      </div>
      <ul class="entries card" data-testid="operations">
        {shown.map((operation) => (
          <Entry key={`${operation.method} ${operation.path}`} {...operation} api={api} />
        ))}
      </ul>
    </div>
  );
}

function Entry({ api, ...operation }: Operation & { api: OpenApi }) {
  const [isOpen, setOpen] = useState(false);
  const { method, path, name, summary } = operation;
  return (
    <li data-testid={`operation-${name}`}>
      <details class="grow" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
          <span class="hint"> {summary}</span>
        </summary>
        {isOpen && <Try {...operation} api={api} />}
      </details>
    </li>
  );
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

function Try({ api, ...operation }: Operation & { api: OpenApi }) {
  const { name } = operation;
  const row = rowOf(name);
  const [text, setText] = useState(() => JSON.stringify(exampleOf(operation, api), null, 2));
  const [answer, setAnswer] = useState<Answer>();
  if (row === undefined) return <p class="hint">{t('apiElsewhere')}</p>;
  const params = read(text);
  const isPlain = row.upload === undefined && !(row.answer ?? []).includes('text/event-stream');
  const send = async () => {
    if (params === undefined) return;
    try {
      setAnswer({ text: await textOf(name, params, row.answer), isError: false });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setAnswer({ text: `${error.code}: ${error.message}`, isError: true });
    }
  };
  const curl = params === undefined ? '' : curlFor(row, params, location.origin);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p class="hint">
        {[name, row.scope === null ? '' : t('apiScope', { scope: row.scope })].filter(Boolean).join(' · ')}
      </p>
      <Field label={t('apiParams')}>
        <textarea
          rows={Math.min(12, text.split('\n').length + 1)}
          spellcheck={false}
          data-testid="api-params"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </Field>
      {params === undefined && <p class="mistake">{t('apiNoJson')}</p>}
      <pre>{curl}</pre>
      <div class="row">
        <button type="button" onClick={() => void copyText(curl)}>
          {t('copy')}
        </button>
        {isPlain && (
          <button type="submit" class="primary" data-testid="api-send" disabled={params === undefined}>
            {t('send')}
          </button>
        )}
      </div>
      <div aria-live="polite">
        {answer !== undefined && (
          <pre class={answer.isError ? 'mistake' : ''} data-testid="api-answer">
            {answer.text}
          </pre>
        )}
      </div>
    </form>
  );
}

/** The answer for a person to read; of a file its kind and size. */
async function textOf(name: string, params: Params, answer: readonly string[] | undefined): Promise<string> {
  if (answer === undefined) return JSON.stringify(await panel().call(name, params), null, 2);
  const file = await panel().media(name, params);
  return /^(?:text|application\/(?:json|x-ndjson))/.test(file.type)
    ? file.text()
    : `${file.type}, ${file.size} B`;
}

function read(text: string): Params | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Params)
      : undefined;
  } catch {
    return undefined;
  }
}
