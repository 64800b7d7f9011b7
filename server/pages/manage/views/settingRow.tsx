import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import type { HealthState } from '../../../parts/health/contract.ts';
import { call } from '../client/panel.ts';
import { OwnersTokenFact, PinFact } from '../fields/keyFacts.tsx';
import { choiceText, settingName, settingText, t, timeText } from '../language.ts';
import { type ControlProps, isChanged, type Save, type SettingEntry } from '../settingValue.ts';
import { Banner, Card, Loading, Switch } from '../ui/card.tsx';
import { Editor, fieldFor, hourText, ValueButton, valueWords } from '../ui/editor.tsx';
import { useCall, useEvent, useEvery } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { attempt, notice } from '../ui/notice.tsx';

/** Their own text says that only environment or flag set them. */
const OUTSIDE_ONLY = ['dataDir', 'update.keys', 'kiosk.debugPort'];

interface RowProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly needsRestart: boolean;
  readonly save: Save;
}

/** One setting with its name, what it does, its control or its editor, and what holds it. */
export function SettingRow({ name, entry, needsRestart, save }: RowProps) {
  const isOutside = entry.source === 'flag' || entry.source === 'environment';
  const isHeld = isOutside || entry.locked === true || OUTSIDE_ONLY.includes(name);
  const canReset = !isHeld && entry.source === 'file';
  const [edited, setEdited] = useState<SettingEntry>();
  const row = useRef<HTMLDivElement>(null);
  const close = () => {
    setEdited(undefined);
    // The keys go on where the editor was opened.
    requestAnimationFrame(() => row.current?.querySelector<HTMLElement>('.row.end > button')?.focus());
  };
  return (
    <div ref={row} class="setting" data-testid={`setting-${name}`}>
      <div class="grow">
        <strong>{settingName(name)}</strong>
        <code class="key">{name}</code>
        <p class="hint">{settingText(name, entry.description)}</p>
        {needsRestart && <p class="hint warm">{t('restartKey')}</p>}
        {isOutside && name !== 'dataDir' && (
          <p class="hint warm">{t('startedWith', { how: heldBy(name, entry) })}</p>
        )}
        {!isOutside && entry.locked && <p class="hint warm">{t('lockedSetting')}</p>}
      </div>
      {edited === undefined && (
        <div class="row end">
          <Control
            name={name}
            entry={entry}
            isHeld={isHeld}
            save={save}
            edit={(other = entry) => setEdited(other)}
          />
          {canReset && (
            <button
              type="button"
              class="ghost icon-button"
              title={t('resetToDefault')}
              aria-label={`${t('resetToDefault')}: ${settingName(name)}`}
              data-testid={`reset-${name}`}
              onClick={() => void attempt(() => save(name, null))}
            >
              <Icon name="undo" />
            </button>
          )}
        </div>
      )}
      {edited !== undefined && (
        <Editor
          settingKey={name}
          label={settingName(name)}
          entry={edited}
          save={(wished) => save(name, wished)}
          close={close}
        />
      )}
    </div>
  );
}

/** The flag or the variable of the environment that a setting comes from. */
function heldBy(name: string, { source }: SettingEntry): string {
  if (source === 'flag') return `--${name}`;
  const words = name.replaceAll('.', '_').replace(/([a-z])([A-Z])/g, '$1_$2');
  return `FACEPLATE_${words.toUpperCase()}`;
}

/** Settings that have a better control than their kind. */
const OWN: Readonly<Record<string, ComponentType<ControlProps>>> = {
  'idle.saver': SaverControl,
  'idle.wakePins': PinsControl,
  'kiosk.pin': PinFact,
  'kiosk.quietHour': HourControl,
  token: OwnersTokenFact,
};

/** What a setting is changed with. */
function Control(props: ControlProps) {
  const Own = OWN[props.name];
  return Own === undefined ? <PlainControl {...props} /> : <Own {...props} />;
}

function PlainControl({ name, entry, isHeld, save, edit }: ControlProps) {
  const { value } = entry;
  const label = settingName(name);
  const change = (wished: unknown) => void attempt(() => save(name, wished));
  const field = fieldFor(name);
  if (field.kind === 'switch' && typeof value === 'boolean')
    return <Switch label={label} isOn={value} disabled={isHeld} onChange={change} />;
  if (field.kind === 'choice' && entry.set === undefined) {
    const at = field.choices.indexOf(value);
    // A value that this version does not know is shown as it is.
    const choices = at === -1 ? [value, ...field.choices] : field.choices;
    return (
      <Select
        label={label}
        isHeld={isHeld}
        texts={choices.map(choiceText)}
        chosen={Math.max(0, at)}
        onChosen={(index) => change(choices[index])}
      />
    );
  }
  if (field.kind === 'several' && entry.set === undefined && field.choices.length <= FEW)
    return (
      <Several
        name={name}
        entry={entry}
        isHeld={isHeld}
        save={save}
        edit={edit}
        choices={field.choices.map((choice) => ({ value: choice, text: choiceText(choice) }))}
      />
    );
  const words = valueWords(name, entry);
  const isDefault = entry.set === undefined ? !isChanged(entry) : !entry.set;
  return (
    <ValueButton
      name={name}
      label={label}
      text={
        words === ''
          ? t('notSet')
          : isDefault && entry.set === undefined
            ? t('defaultIs', { value: words })
            : words
      }
      isHeld={isHeld}
      isUnset={isDefault}
      onClick={() => edit()}
    />
  );
}

/** Up to this many, choices stand beside each other in the row; more have an editor. */
const FEW = 8;

interface SelectProps {
  readonly label: string;
  readonly isHeld: boolean;
  readonly texts: readonly string[];
  readonly chosen: number;
  readonly onChosen: (index: number) => void;
}

/** A choice; it shows what the panel says until that changes. */
function Select({ label, isHeld, texts, chosen, onChosen }: SelectProps) {
  return (
    <select
      aria-label={label}
      disabled={isHeld}
      value={String(chosen)}
      onChange={({ currentTarget }) => {
        const wished = currentTarget.selectedIndex;
        currentTarget.selectedIndex = chosen;
        onChosen(wished);
      }}
    >
      {texts.map((text, index) => (
        <option key={text} value={String(index)}>
          {text}
        </option>
      ))}
    </select>
  );
}

const SAVERS = ['clock', 'black', 'photos'] as const;

/** One of ours, or the address of a page, which is typed. */
function SaverControl({ name, entry, isHeld, save, edit }: ControlProps) {
  const label = settingName(name);
  const own = (SAVERS as readonly unknown[]).indexOf(entry.value);
  const isAddress = own === -1;
  const editAddress = () => edit(isAddress ? entry : { ...entry, value: 'https://' });
  const address = String(entry.value);
  return (
    <>
      {isAddress && (
        <ValueButton name={name} label={label} text={address} isHeld={isHeld} onClick={editAddress} />
      )}
      <Select
        label={label}
        isHeld={isHeld}
        texts={[...SAVERS.map((saver) => t(`saver_${saver}`)), t('saver_address')]}
        chosen={isAddress ? SAVERS.length : own}
        onChosen={(index) => {
          const wished = SAVERS[index];
          if (wished === undefined) editAddress();
          else void attempt(() => save(name, wished));
        }}
      />
    </>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** An hour of the day, from its beginning to its end. */
function HourControl({ name, entry, isHeld, save }: ControlProps) {
  return (
    <Select
      label={settingName(name)}
      isHeld={isHeld}
      texts={HOURS.map(hourText)}
      chosen={Number(entry.value)}
      onChosen={(hour) => void attempt(() => save(name, hour))}
    />
  );
}

/** The pins that hear of the outside world; where the board has none, a list of numbers. */
function PinsControl(props: ControlProps) {
  const { data, error } = useCall<ResultOf<'gpio.list'>>('gpio.list');
  if (error !== undefined) return <PlainControl {...props} />;
  const inputs = (data?.pins ?? []).filter(({ kind }) => kind === 'io');
  return <Several {...props} choices={inputs.map(({ pin, label }) => ({ value: pin, text: label }))} />;
}

interface Choice {
  readonly value: unknown;
  readonly text: string;
}

/** Some of a few, in the order in which they were chosen. */
function Several({ name, entry, isHeld, save, choices }: ControlProps & { choices: readonly Choice[] }) {
  const chosen = (entry.value ?? []) as readonly unknown[];
  const others = chosen.filter((value) => !choices.some((choice) => choice.value === value));
  const all = [...choices, ...others.map((value) => ({ value, text: String(value) }))];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame and needs a legend that is seen already.
    <div class="several" role="group" aria-label={settingName(name)} data-testid={`value-${name}`}>
      {all.map(({ value, text }) => (
        <label key={text} class="check">
          <input
            type="checkbox"
            disabled={isHeld}
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => {
              const wished = currentTarget.checked;
              currentTarget.checked = chosen.includes(value);
              const rest = chosen.filter((one) => one !== value);
              void attempt(() => save(name, wished ? [...rest, value] : rest));
            }}
          />
          {text}
        </label>
      ))}
    </div>
  );
}

/** The panel announces no change of a setting, so what others change is read now and then, in milliseconds. */
const READ_EVERY_MS = 5_000;

interface SettingsCardProps {
  readonly title: string;
  readonly hint?: string;
  /** Keys of settings, or the beginning of keys, in their order; those that this panel lacks are left out. */
  readonly keys: readonly string[];
}

/** A few settings of one subject, beside what they act on. */
export function SettingsCard({ title, hint, keys }: SettingsCardProps) {
  const answer = useCall<SettingsAnswer>('settings.read');
  useEvery(READ_EVERY_MS, answer.reload);
  return (
    <Card title={title} wide class="settings">
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Loading of={answer}>
        {({ settings, restartNeeded }) =>
          keys
            .flatMap((key) =>
              key.endsWith('.')
                ? Object.keys(settings).filter((each) => each.startsWith(key))
                : Object.keys(settings).filter((each) => each === key),
            )
            .map((key) => (
              <SettingRow
                key={key}
                name={key}
                entry={settings[key]!}
                needsRestart={restartNeeded.includes(key)}
                save={async (name, value) => {
                  await call('settings.change', { [name]: value });
                  notice(t('saved'));
                  await answer.reload();
                }}
              />
            ))
        }
      </Loading>
    </Card>
  );
}

/** That nothing can be saved; else settings that the panel has taken back, each with the reason. @param after asks again when it is another object */
export function Undone({ after }: { readonly after?: unknown }) {
  const health = useCall<HealthState>('health.state');
  const { reload } = health;
  useEvent('health', () => void reload());
  useEffect(() => {
    if (after !== undefined) void reload();
  }, [after, reload]);
  const undone = health.data?.undone ?? [];
  const problem = health.data?.disk.problem ?? null;
  if (problem !== null)
    return (
      <Banner kind="error" role="alert" testId="disk-problem" title={t('nothingSaved')} words={problem} />
    );
  if (undone.length === 0) return null;
  return (
    <Banner role="alert" testId="undone" title={t('undone')} words={t('undoneHint')}>
      <ul>
        {undone.map(({ setting, reason, at }) => (
          <li key={setting}>
            {settingName(setting)} <code class="key">{setting}</code>: {reason} ({timeText(at)})
          </li>
        ))}
      </ul>
    </Banner>
  );
}
