import { h } from '../dom.ts';
import { editSetting } from '../editor.ts';
import { call } from '../host.ts';
import { hasText, settingText, t } from '../language.ts';
import { attempt, confirmed, notice } from '../notice.ts';
import { type SettingEntry, valueText } from '../settingValue.ts';
import { section } from './section.ts';

/** All settings, with their purpose and the source of their value. */
export async function settingsCards(): Promise<HTMLElement[]> {
  const banner = h('div', { class: 'banner', 'data-testid': 'restart-needed', hidden: true });
  const groups = h('div', { class: 'cards' });
  const draw = async () => {
    const { settings, restartNeeded } = await call('settings.read');
    drawBanner(banner, restartNeeded);
    const byGroup = Map.groupBy(Object.keys(settings), (key) => (key.includes('.') ? key.split('.')[0] : ''));
    const cards = [...byGroup].map(([group, keys]) =>
      section(groupTitle(group ?? ''), ...keys.map((key) => row(key, settings[key]!, draw))),
    );
    groups.replaceChildren(...cards);
  };
  await draw();
  return [banner, groups];
}

/** The title of a group of settings; without a title, its prefix. */
function groupTitle(prefix: string): string {
  const key = `group_${prefix || 'general'}`;
  return hasText(key) ? t(key) : prefix;
}

function drawBanner(banner: HTMLElement, keys: readonly string[]): void {
  const reboot = async () => {
    if (await confirmed(t('rebootSure'), t('reboot')))
      await attempt(() => call('system.reboot'), t('rebooting'));
  };
  banner.hidden = keys.length === 0;
  banner.replaceChildren(
    h('p', { class: 'grow' }, t('restartNeeded', { keys: keys.join(', ') })),
    h('button', { type: 'button', class: 'danger', onclick: () => void reboot() }, t('reboot')),
  );
}

function row(key: string, entry: SettingEntry, draw: () => Promise<void>): HTMLElement {
  const isHeld = entry.source === 'flag' || entry.source === 'environment' || key === 'dataDir';
  const save = async (value: unknown) => {
    await call('settings.change', { [key]: value });
    notice(t('saved'));
    await draw();
  };
  const source = entry.source === 'flag' ? t('source_flag') : t('source_environment');
  return h(
    'div',
    { class: 'setting', 'data-testid': `setting-${key}` },
    h(
      'div',
      { class: 'grow' },
      h('strong', {}, key),
      h('p', { class: 'hint' }, settingText(key, entry.description)),
      isHeld && key !== 'dataDir' ? h('p', { class: 'hint held' }, t('held', { source })) : undefined,
    ),
    control(key, entry, isHeld, save),
  );
}

type Save = (value: unknown) => Promise<void>;

function control(key: string, entry: SettingEntry, isHeld: boolean, save: Save): HTMLElement {
  const { value, choices = [] } = entry;
  if (!choices.includes(value)) return button(key, entry, isHeld, save);
  if (typeof value === 'boolean' && choices.every((choice) => typeof choice === 'boolean'))
    return toggle(key, value, isHeld, save);
  return choice(key, value, choices, isHeld, save);
}

function choice(key: string, value: unknown, choices: readonly unknown[], isHeld: boolean, save: Save) {
  const words = (one: unknown) => (typeof one === 'boolean' ? t(one ? 'on' : 'off') : String(one));
  const box = h(
    'select',
    { class: 'choice', 'aria-label': key },
    ...choices.map((one, index) => h('option', { value: String(index) }, words(one))),
  );
  box.selectedIndex = choices.indexOf(value);
  box.disabled = isHeld;
  box.addEventListener('change', async () => {
    if (!(await attempt(() => save(choices[box.selectedIndex])))) box.selectedIndex = choices.indexOf(value);
  });
  return box;
}

function toggle(key: string, isOn: boolean, isHeld: boolean, save: Save) {
  const box = h('input', { type: 'checkbox', class: 'switch', role: 'switch', 'aria-label': key });
  box.checked = isOn;
  box.disabled = isHeld;
  box.addEventListener('change', async () => {
    if (!(await attempt(() => save(box.checked)))) box.checked = isOn;
  });
  return box;
}

function button(key: string, entry: SettingEntry, isHeld: boolean, save: Save): HTMLElement {
  const secret = entry.set ? t('secretSet') : t('secretNone');
  const text = entry.set === undefined ? valueText(entry.value) || t('empty') : secret;
  const edit = h(
    'button',
    { type: 'button', class: 'value', onclick: () => void editSetting(key, entry, save) },
    `${text}${entry.unit ? ` ${entry.unit}` : ''}`,
  );
  edit.disabled = isHeld;
  return edit;
}
