import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import { PagesControl } from '../../../kiosk/view/pagesControl.tsx';
import type { HealthState } from '../../../parts/health/contract.ts';
import { call } from '../client/panel.ts';
import { OwnersTokenFact, PinFact } from '../fields/keyFacts.tsx';
import { language, settingName, settingText, t, timeText } from '../language.ts';
import { type ControlProps, durationText, type Save, type SettingEntry, valueText } from '../settingValue.ts';
import { Card, Loading, Switch } from '../ui/card.tsx';
import { editSetting, ValueButton } from '../ui/editor.tsx';
import { useCall, useEvent, useEvery } from '../ui/hooks.ts';
import { attempt, notice } from '../ui/notice.tsx';

/** Whether a setting is not as it is by default. */
export function isChanged(entry: SettingEntry): boolean {
  if (entry.set !== undefined) return entry.set;
  return JSON.stringify(entry.value) !== JSON.stringify(entry.default);
}

/** Their own text says that only environment or flag set them. */
const OUTSIDE_ONLY = ['dataDir', 'update.keys', 'kiosk.debugPort'];

interface RowProps {
  readonly name: string;
  readonly entry: SettingEntry;
  readonly needsRestart: boolean;
  readonly save: Save;
}

/** One setting with its name, what it does, its control and what holds it. */
export function SettingRow({ name, entry, needsRestart, save }: RowProps) {
  const isOutside = entry.source === 'flag' || entry.source === 'environment';
  const isHeld = isOutside || entry.locked === true || OUTSIDE_ONLY.includes(name);
  const source = entry.source === 'flag' ? t('source_flag') : t('source_environment');
  const canReset = !isHeld && entry.source === 'file';
  return (
    <div class="setting" data-testid={`setting-${name}`}>
      <div class="grow">
        <strong>{settingName(name)}</strong>
        <code class="key">{name}</code>
        <p class="hint">{settingText(name, entry.description)}</p>
        {entry.set === undefined && isChanged(entry) && (
          <p class="hint">{t('defaultIs', { value: valueText(entry.default) || t('empty') })}</p>
        )}
        {needsRestart && <p class="hint warm">{t('restartKey')}</p>}
        {isOutside && name !== 'dataDir' && <p class="hint warm">{t('held', { source })}</p>}
        {!isOutside && entry.locked && <p class="hint warm">{t('lockedSetting')}</p>}
      </div>
      <div class="row end">
        <Control name={name} entry={entry} isHeld={isHeld} save={save} />
        {canReset && (
          <button
            type="button"
            class="quiet"
            aria-label={`${t('resetToDefault')}: ${settingName(name)}`}
            data-testid={`reset-${name}`}
            onClick={() => void attempt(() => save(name, null))}
          >
            {t('resetToDefault')}
          </button>
        )}
      </div>
    </div>
  );
}

/** Settings that have a better control than their kind. */
const OWN: Readonly<Record<string, ComponentType<ControlProps>>> = {
  'idle.saver': SaverControl,
  'idle.wakePins': PinsControl,
  'keyboard.layouts': LayoutsControl,
  'kiosk.pages': PagesControl,
  'kiosk.pin': PinFact,
  token: OwnersTokenFact,
};

/** What a setting is changed with. */
function Control(props: ControlProps) {
  const Own = OWN[props.name];
  return Own === undefined ? <PlainControl {...props} /> : <Own {...props} />;
}

function PlainControl({ name, entry, isHeld, save }: ControlProps) {
  const { value, choices = [] } = entry;
  const label = settingName(name);
  const change = (wished: unknown) => void attempt(() => save(name, wished));
  if (choices.includes(value) && choices.every((choice) => typeof choice === 'boolean'))
    return <Switch label={label} isOn={value === true} disabled={isHeld} onChange={change} />;
  if (choices.includes(value))
    return (
      <Select
        label={label}
        isHeld={isHeld}
        texts={choices.map((one) => (typeof one === 'boolean' ? t(one ? 'on' : 'off') : String(one)))}
        chosen={choices.indexOf(value)}
        onChosen={(index) => change(choices[index])}
      />
    );
  const secret = entry.set ? t('secretSet') : t('secretNone');
  const unit = entry.unit ? ` ${entry.unit}` : '';
  const duration = entry.unit === 's' && typeof value === 'number' ? durationText(value, language.get()) : '';
  const text = entry.set === undefined ? valueText(value) || t('empty') : secret;
  const shown = value === 0 && name.endsWith('After') ? t('never') : duration || `${text}${unit}`;
  return (
    <ValueButton
      name={name}
      label={label}
      text={shown}
      isHeld={isHeld}
      onClick={() =>
        void editSetting({ settingKey: name, label, entry, save: (wished) => save(name, wished) })
      }
    />
  );
}

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
      class="choice"
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
function SaverControl({ name, entry, isHeld, save }: ControlProps) {
  const label = settingName(name);
  const own = (SAVERS as readonly unknown[]).indexOf(entry.value);
  const isAddress = own === -1;
  const edit = () =>
    void editSetting({
      settingKey: name,
      label,
      entry: isAddress ? entry : { ...entry, value: 'https://' },
      save: (wished) => save(name, wished),
    });
  return (
    <>
      {isAddress && (
        <button
          type="button"
          class="value"
          data-testid={`value-${name}`}
          disabled={isHeld}
          aria-label={`${label}: ${valueText(entry.value)}`}
          onClick={edit}
        >
          {valueText(entry.value)}
        </button>
      )}
      <Select
        label={label}
        isHeld={isHeld}
        texts={[...SAVERS.map((saver) => t(`saver_${saver}`)), t('saver_address')]}
        chosen={isAddress ? SAVERS.length : own}
        onChosen={(index) => {
          const wished = SAVERS[index];
          if (wished === undefined) edit();
          else void attempt(() => save(name, wished));
        }}
      />
    </>
  );
}

const LAYOUTS = ['en', 'de', 'es'];

function LayoutsControl(props: ControlProps) {
  const names = new Intl.DisplayNames([language.get()], { type: 'language' });
  return (
    <Several
      {...props}
      choices={LAYOUTS.map((layout) => ({ value: layout, text: names.of(layout) ?? layout }))}
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
      <div class="banner wide" role="alert" data-testid="disk-problem">
        <div class="grow">
          <strong>{t('nothingSaved')}</strong>
          <p class="hint">{problem}</p>
        </div>
      </div>
    );
  if (undone.length === 0) return null;
  return (
    <div class="banner wide" role="alert" data-testid="undone">
      <div class="grow">
        <strong>{t('undone')}</strong>
        <p class="hint">{t('undoneHint')}</p>
        <ul>
          {undone.map(({ setting, reason, at }) => (
            <li key={setting}>
              {settingName(setting)} <code class="key">{setting}</code>: {reason} ({timeText(at)})
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
