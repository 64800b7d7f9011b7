import { useEffect, useMemo, useState } from 'preact/hooks';
import { CallError, type Params, panel } from '../client/panel.ts';
import { curlFor, rowOf } from '../client/requests.ts';
import { ValueField } from '../fields/valueField.tsx';
import { t } from '../language.ts';
import { draftOf, type Field as ValueKind, valueFrom } from '../settingValue.ts';
import { EmptyState, Field, SearchBox, Skeleton } from '../ui/card.tsx';
import { copyText } from '../ui/notice.tsx';
import {
  answerOf,
  groupsOf,
  type OpenApi,
  type Operation,
  type OperationGroup,
  type Parameter,
  type Variant,
  variantsOf,
} from './openApi.ts';

/** All that callers can ask for, from the description that the panel brings, by subject; each can be tried. */
export function Api() {
  const [api, setApi] = useState<OpenApi>();
  const [hasFailed, setFailed] = useState(false);
  const [filter, setFilter] = useState('');
  useEffect(() => {
    fetch('openapi.json').then(
      async (answer) => setApi((await answer.json()) as OpenApi),
      () => setFailed(true),
    );
  }, []);
  const all = useMemo(() => (api === undefined ? [] : groupsOf(api)), [api]);
  const words = filter.trim().toLowerCase();
  const isWanted = ({ path, name, summary }: Operation) =>
    `${path} ${name} ${summary}`.toLowerCase().includes(words);
  const shown = all
    .map((group) => ({ ...group, operations: group.operations.filter(isWanted) }))
    .filter(({ operations }) => operations.length > 0);
  if (hasFailed) return <EmptyState icon="alert" words={t('viewMissing')} />;
  if (api === undefined) return <Skeleton />;
  return (
    <div class="wide api">
      <div class="row">
        <SearchBox label={t('filter')} testId="api-filter" value={filter} onText={setFilter} />
        <a href="openapi.json">openapi.json</a>
      </div>
      {shown.length === 0 && <EmptyState icon="search" words={t('noneFound')} />}
      <div class="card api-groups" data-testid="operations">
        {shown.map((group) => (
          <Group key={group.name} group={group} api={api} isOpen={words !== ''} />
        ))}
      </div>
    </div>
  );
}

function Group({ group, api, isOpen }: { group: OperationGroup; api: OpenApi; isOpen: boolean }) {
  const [isUnfolded, setUnfolded] = useState(false);
  const { name, description, operations } = group;
  return (
    <details
      open={isOpen || isUnfolded}
      data-testid={`tag-${name}`}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>
        <strong>{name}</strong> <span class="hint">{description}</span>{' '}
        <span class="badge">{operations.length}</span>
      </summary>
      {(isOpen || isUnfolded) && (
        <ul class="entries">
          {operations.map((operation) => (
            <Entry key={`${operation.method} ${operation.path}`} {...operation} api={api} />
          ))}
        </ul>
      )}
    </details>
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
  const variants = useMemo(() => variantsOf(operation, api), [name, api]);
  const example = useMemo(() => answerOf(operation, api), [name, api]);
  const [at, setAt] = useState(0);
  const [drafts, setDrafts] = useState(() => examplesOf(variants[0]!));
  const [answer, setAnswer] = useState<Answer>();
  if (row === undefined) return <p class="hint">{t('apiElsewhere')}</p>;
  const { parameters } = variants[at]!;
  const params = paramsFrom(parameters, drafts);
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
      {variants.length > 1 && (
        <Field label={t('apiVariant')}>
          <select
            data-testid="api-variant"
            value={String(at)}
            onChange={({ currentTarget }) => {
              setAt(Number(currentTarget.value));
              setDrafts(examplesOf(variants[Number(currentTarget.value)]!));
            }}
          >
            {variants.map((variant, index) => (
              <option key={variant.name} value={String(index)}>
                {variant.name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <div class="form api-form">
        {parameters.map((parameter) => (
          <ParameterField
            key={`${at} ${parameter.name}`}
            {...parameter}
            draft={drafts[parameter.name]}
            onDraft={(draft) => setDrafts({ ...drafts, [parameter.name]: draft })}
          />
        ))}
      </div>
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
      {example !== undefined && (
        <details>
          <summary>{t('apiExample')}</summary>
          <pre data-testid="api-example">{JSON.stringify(example, null, 2)}</pre>
        </details>
      )}
    </form>
  );
}

type Drafts = Readonly<Record<string, unknown>>;

interface ParameterFieldProps extends Parameter {
  readonly draft: unknown;
  readonly onDraft: (draft: unknown) => void;
}

/** The editor of one value, made from its schema; of a value that may be anything, JSON. */
function ParameterField({ name, isNeeded, description, field, draft, onDraft }: ParameterFieldProps) {
  return (
    <div>
      {field === undefined ? (
        <Field label={name}>
          <textarea
            rows={3}
            spellcheck={false}
            aria-invalid={read(draft) === undefined}
            data-testid={`api-${name}`}
            value={String(draft)}
            onInput={({ currentTarget }) => onDraft(currentTarget.value)}
          />
        </Field>
      ) : (
        <ValueField
          name={name}
          label={name}
          field={field}
          draft={draft}
          onDraft={onDraft}
          path={name}
          mistake={undefined}
          testId={`api-${name}`}
          isNeeded={isNeeded}
        />
      )}
      {description !== '' && <p class="hint">{description}</p>}
    </div>
  );
}

/** What is typed before anybody types: what is needed. */
function examplesOf({ parameters }: Variant): Drafts {
  return Object.fromEntries(
    parameters.map(({ name, isNeeded, field, example }) => {
      if (field === undefined) return [name, isNeeded ? JSON.stringify(example) : ''];
      return [name, isNeeded ? draftOf(field, example) : undefinedDraft(field)];
    }),
  );
}

/** A list that may be left out begins empty; all else is not there yet. */
function undefinedDraft(field: ValueKind): unknown {
  return ['chips', 'several', 'forms'].includes(field.kind) ? [] : undefined;
}

/** @returns undefined while a value is no JSON */
function paramsFrom(parameters: readonly Parameter[], drafts: Drafts): Params | undefined {
  const params: Record<string, unknown> = {};
  for (const { name, isNeeded, field } of parameters) {
    const draft = drafts[name];
    if (field === undefined) {
      const text = String(draft ?? '').trim();
      if (text === '' && !isNeeded) continue;
      const value = read(text);
      if (value === undefined) return undefined;
      params[name] = value.json;
      continue;
    }
    if (draft === undefined) continue;
    const value = valueFrom(field, draft);
    const isLeftOut = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    if (!isLeftOut || isNeeded) params[name] = value;
  }
  return params;
}

/** The answer for a person to read; of a file its kind and size. */
async function textOf(name: string, params: Params, answer: readonly string[] | undefined): Promise<string> {
  if (answer === undefined) return JSON.stringify(await panel().call(name, params), null, 2);
  const file = await panel().media(name, params);
  return /^(?:text|application\/(?:json|x-ndjson))/.test(file.type)
    ? file.text()
    : `${file.type}, ${file.size} B`;
}

function read(text: unknown): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(String(text)) };
  } catch {
    return undefined;
  }
}
