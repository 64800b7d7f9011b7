import { useState } from 'preact/hooks';
import { ask, CallError, type Params } from '../../pages/manage/client/panel.ts';
import { rowOf } from '../../pages/manage/client/requests.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, TextField } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { notice } from '../../pages/manage/ui/notice.tsx';
import type { FleetPanel, RolloutProgress } from './contract.ts';
import { groupsOf } from './viewFacts.ts';

type Command = RolloutProgress['command'];

/** What a new roll-out begins with, instead of an empty form. */
export interface Draft {
  /** When it was made: each draft fills the form anew. */
  readonly made: number;
  readonly command: Command;
  readonly params: Params | undefined;
}

interface NewRolloutProps {
  readonly panels: readonly FleetPanel[];
  readonly selected: ReadonlySet<string>;
  readonly draft: Draft | undefined;
  readonly onBegun: () => Promise<void>;
}

/** Where a new version of a project comes from. */
interface Fetched {
  readonly url: string;
  readonly sha256: string;
  readonly name: string;
}

const FIELDS = ['url', 'sha256', 'name'] as const;

/** Panels or a group, their work, and the steps. */
export function NewRollout({ panels, selected, draft, onBegun }: NewRolloutProps) {
  const [command, setCommand] = useState<Command>(draft?.command ?? 'projects.fetch');
  const [group, setGroup] = useState('');
  const [fetched, setFetched] = useState<Fetched>(() => fetchedOf(draft?.params));
  const [json, setJson] = useState(() => settingsOf(draft));
  const [steps, setSteps] = useState({ canary: '1', parallel: '10', healthyFor: '60' });
  const [mistake, setMistake] = useState('');
  const ids = panels.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const count = group === '' ? ids.length : panels.filter(({ groups }) => groups?.includes(group)).length;
  const paramsNow = (): Params => {
    if (command === 'settings.change') return JSON.parse(json) as Params;
    const filled = FIELDS.map((field) => [field, fetched[field].trim()]).filter(([, text]) => text !== '');
    // An update without an address is the one that each panel found by itself.
    return Object.fromEntries(
      command === 'update.fetch' ? filled.filter(([field]) => field !== 'name') : filled,
    );
  };
  const asked = (): Params => ({
    ...(group === '' ? { ids } : { groups: [group] }),
    command,
    params: paramsNow(),
    canary: Number(steps.canary),
    parallel: Number(steps.parallel),
    healthyFor: Number(steps.healthyFor),
  });
  const begin = async () => {
    setMistake('');
    try {
      const params = asked();
      if (!(await confirmed(t('rolloutSure', { count }), t('rolloutBegin'), 'primary'))) return;
      const { id } = await ask<{ id: string }>('fleet.rollout', params);
      keepParams(id, paramsNow());
      notice(t('rolloutBegun'));
      await onBegun();
    } catch (error) {
      if (error instanceof SyntaxError) setMistake(t('notJson', { reason: error.message }));
      else if (error instanceof CallError) setMistake(error.message);
      else throw error;
    }
  };
  return (
    <Card title={t('rolloutNew')} wide>
      <p class="hint">{t('rolloutHint')}</p>
      <form
        class="fleet-form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <div class="row">
          <Field label={t('rolloutTo')}>
            <select
              data-testid="rollout-to"
              value={group}
              onChange={({ currentTarget }) => setGroup(currentTarget.value)}
            >
              <option value="">{t('rolloutChosen', { count: ids.length })}</option>
              {groupsOf(panels).map((name) => (
                <option key={name} value={name}>
                  {t('rolloutGroup', { name })}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t('rolloutWhat')}>
            <select
              data-testid="rollout-command"
              value={command}
              onChange={({ currentTarget }) => setCommand(currentTarget.value as Command)}
            >
              {(['projects.fetch', 'settings.change', 'update.fetch'] as const)
                .filter((name) => rowOf(name) !== undefined)
                .map((name) => (
                  <option key={name} value={name}>
                    {t(`rollout_${name}`)}
                  </option>
                ))}
            </select>
          </Field>
        </div>
        {command === 'settings.change' ? (
          <Field label={t('rolloutSettings')} hint={t('rolloutSettingsHint')}>
            <textarea
              rows={6}
              spellcheck={false}
              data-testid="rollout-settings"
              value={json}
              onInput={({ currentTarget }) => setJson(currentTarget.value)}
            />
          </Field>
        ) : (
          FIELDS.filter((field) => command === 'projects.fetch' || field !== 'name').map((field) => (
            <TextField
              key={field}
              label={t(`rollout_${field}`)}
              value={fetched[field]}
              onText={(text) => setFetched({ ...fetched, [field]: text })}
              testId={`rollout-${field}`}
              maxLength={2_000}
            />
          ))
        )}
        <div class="row">
          {(['canary', 'parallel', 'healthyFor'] as const).map((step) => (
            <TextField
              key={step}
              label={t(`rollout_${step}`)}
              value={steps[step]}
              onText={(text) => setSteps({ ...steps, [step]: text })}
              testId={`rollout-${step}`}
              isNumber
              maxLength={5}
            />
          ))}
        </div>
        <div class="row">
          <button type="submit" class="primary" data-testid="rollout-begin" disabled={count === 0}>
            {t('rolloutBegin')}
          </button>
          <span class="hint">{t('rolloutCount', { count })}</span>
        </div>
      </form>
      <p class="mistake" role="alert" data-testid="rollout-mistake">
        {mistake}
      </p>
      <CallShown command="fleet.rollout" params={orNothing(asked)} />
    </Card>
  );
}

function fetchedOf(params: Params | undefined): Fetched {
  const text = (field: string) => (typeof params?.[field] === 'string' ? params[field] : '');
  return { url: text('url'), sha256: text('sha256'), name: text('name') };
}

function settingsOf(draft: Draft | undefined): string {
  const isFilled = draft?.command === 'settings.change' && draft.params !== undefined;
  return isFilled ? JSON.stringify(draft.params, null, 2) : '{}';
}

/** While the JSON is being written there is nothing to show. */
function orNothing(params: () => Params): Params {
  try {
    return params();
  } catch {
    return {};
  }
}

/** The panel never sends the params of a roll-out, so this browser remembers those that it began itself. */
const KEPT = 'rollouts';
const MAX_KEPT = 20;

function all(): Record<string, Params> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Record<string, Params>;
  } catch {
    return {};
  }
}

/** Keeps what a roll-out was asked for, to begin another one like it. */
function keepParams(id: string, params: Params): void {
  const entries = [...Object.entries(all()), [id, params] as const].slice(-MAX_KEPT);
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Without storage a person writes it again.
  }
}

/** What a roll-out was asked for; undefined where another browser began it. */
export function keptParams(id: string): Params | undefined {
  const kept = all();
  return Object.hasOwn(kept, id) ? kept[id] : undefined;
}
