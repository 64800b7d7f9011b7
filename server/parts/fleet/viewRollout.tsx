import { useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../config/contract.ts';
import { ask, CallError, type Params } from '../../pages/manage/client/panel.ts';
import { rowOf } from '../../pages/manage/client/requests.ts';
import { ValueField } from '../../pages/manage/fields/valueField.tsx';
import { settingName, t } from '../../pages/manage/language.ts';
import { draftOf, mistakeIn, type SettingEntry, valueFrom } from '../../pages/manage/settingValue.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, Loading, TextField } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { fieldFor } from '../../pages/manage/ui/editor.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { Icon } from '../../pages/manage/ui/icons.tsx';
import { notice } from '../../pages/manage/ui/notice.tsx';
import type { FleetPanel, RolloutProgress } from './contract.ts';
import { groupsOf, mayShare } from './viewFacts.ts';

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
  const [wished, setWished] = useState<Drafts>(() => wishedOf(draft));
  const [steps, setSteps] = useState({ canary: '1', parallel: '10', healthyFor: '60' });
  const [mistake, setMistake] = useState('');
  const ids = panels.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const count = group === '' ? ids.length : panels.filter(({ groups }) => groups?.includes(group)).length;
  const canBegin = count > 0 && (command !== 'settings.change' || Object.keys(wished).length > 0);
  const paramsNow = (): Params => {
    if (command === 'settings.change') return settingsFrom(wished);
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
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
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
          <SettingsOfOthers wished={wished} onWished={setWished} mistake={mistake} />
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
          <button type="submit" class="primary" data-testid="rollout-begin" disabled={!canBegin}>
            {t('rolloutBegin')}
          </button>
          <span class="hint">{t('rolloutCount', { count })}</span>
        </div>
      </form>
      <p class="mistake" role="alert" data-testid="rollout-mistake">
        {mistake}
      </p>
      <CallShown command="fleet.rollout" params={asked()} />
    </Card>
  );
}

function fetchedOf(params: Params | undefined): Fetched {
  const text = (field: string) => (typeof params?.[field] === 'string' ? params[field] : '');
  return { url: text('url'), sha256: text('sha256'), name: text('name') };
}

/** What is typed for each setting, by its key; null is the default. */
type Drafts = Readonly<Record<string, unknown>>;

function wishedOf(draft: Draft | undefined): Drafts {
  if (draft?.command !== 'settings.change') return {};
  const entries = Object.entries(draft.params ?? {});
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value === null ? null : draftOf(fieldFor(key), value)]),
  );
}

function settingsFrom(wished: Drafts): Params {
  const entries = Object.entries(wished);
  return Object.fromEntries(
    entries.map(([key, draft]) => [key, draft === null ? null : (valueFrom(fieldFor(key), draft) ?? {})]),
  );
}

interface WishedProps {
  readonly wished: Drafts;
  readonly onWished: (wished: Drafts) => void;
  /** What the panel says of all of them. */
  readonly mistake: string;
}

/** The settings that others get: each is chosen by its name, and has the editor of its schema. */
function SettingsOfOthers({ wished, onWished, mistake }: WishedProps) {
  const answer = useCall<SettingsAnswer>('settings.read');
  const put = (key: string, draft: unknown) => onWished({ ...wished, [key]: draft });
  const leave = (key: string) => {
    const { [key]: _, ...others } = wished;
    onWished(others);
  };
  return (
    <Loading of={answer}>
      {({ settings }) => {
        const all = settings as Readonly<Record<string, SettingEntry>>;
        const free = Object.keys(all)
          .filter((key) => !(key in wished) && mayShare(key, all[key]!))
          .sort((one, other) => settingName(one).localeCompare(settingName(other)));
        return (
          <div class="entry-list" data-testid="rollout-settings">
            <p class="hint">{t('rolloutSettingsHint')}</p>
            {Object.keys(wished).map((key) => (
              <SettingOfOthers
                key={key}
                name={key}
                entry={all[key]}
                draft={wished[key]}
                onDraft={(draft) => put(key, draft)}
                onLeft={() => leave(key)}
                mistake={mistake}
              />
            ))}
            <select
              aria-label={t('rolloutAdd')}
              data-testid="rollout-add"
              value=""
              onChange={({ currentTarget }) => {
                const key = currentTarget.value;
                currentTarget.value = '';
                put(key, draftOf(fieldFor(key), all[key]?.value));
              }}
            >
              <option value="">{t('rolloutAdd')}</option>
              {free.map((key) => (
                <option key={key} value={key}>
                  {settingName(key)}
                </option>
              ))}
            </select>
          </div>
        );
      }}
    </Loading>
  );
}

interface WishedSettingProps {
  readonly name: string;
  readonly entry: SettingEntry | undefined;
  readonly draft: unknown;
  readonly onDraft: (draft: unknown) => void;
  readonly onLeft: () => void;
  readonly mistake: string;
}

function SettingOfOthers({ name, entry, draft, onDraft, onLeft, mistake }: WishedSettingProps) {
  const field = fieldFor(name);
  const label = settingName(name);
  const isDefault = draft === null;
  const said = mistakeIn(name, mistake);
  const isMeant = mistake.includes(`${name}: `);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame and needs a legend that is seen already.
    <div class="entry editor" role="group" aria-label={label} data-testid={`rollout-setting-${name}`}>
      <div class="entry-head">
        <strong class="grow">
          {label} <code class="key">{name}</code>
        </strong>
        <label class="check">
          <input
            type="checkbox"
            checked={isDefault}
            onChange={({ currentTarget }) =>
              onDraft(currentTarget.checked ? null : draftOf(field, entry?.default))
            }
          />
          {t('useDefault')}
        </label>
        <button
          type="button"
          class="ghost icon-button"
          aria-label={`${t('remove')}: ${label}`}
          onClick={onLeft}
        >
          <Icon name="remove" />
        </button>
      </div>
      {!isDefault && (
        <ValueField
          name={name}
          label={label}
          field={field}
          draft={draft}
          onDraft={onDraft}
          path=""
          mistake={isMeant ? said : undefined}
          testId={`rollout-value-${name}`}
          unit={entry?.unit}
        />
      )}
      {isMeant && <p class="mistake">{said.words}</p>}
    </div>
  );
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
