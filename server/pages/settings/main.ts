import { accessCards } from './cards/access.ts';
import { certificateCards } from './cards/certificates.ts';
import { displayCards } from './cards/display.ts';
import { panelCards } from './cards/panel.ts';
import { projectCards } from './cards/projects.ts';
import { settingsCards } from './cards/settings.ts';
import { byId, h } from './dom.ts';
import { call, isPanel } from './host.ts';
import { language, languages, setLanguage, t } from './language.ts';
import { askForPin } from './lockScreen.ts';
import { attempt } from './notice.ts';

const TABS = [
  ['panel', panelCards],
  ['access', accessCards],
  ['projects', projectCards],
  ['display', displayCards],
  ['certificates', certificateCards],
  ['settings', settingsCards],
] as const;
/** How often the page reports to the service that a person uses it, in milliseconds. */
const TOUCH_EVERY_MS = 5_000;

const main = byId('main', HTMLElement);
const picker = byId('language', HTMLSelectElement);
const closeButton = byId('close', HTMLButtonElement);
let current: (typeof TABS)[number][0] = 'panel';
let asking = new AbortController();
let touchedAt = Number.NEGATIVE_INFINITY;

picker.append(...Object.entries(languages).map(([code, { name }]) => h('option', { value: code }, name)));
picker.addEventListener('change', () => {
  setLanguage(picker.value);
  void show();
});
closeButton.addEventListener('click', () => void call('settingsPage.close'));
for (const type of ['pointerdown', 'keydown', 'wheel'])
  addEventListener(type, () => {
    if (performance.now() - touchedAt < TOUCH_EVERY_MS) return;
    touchedAt = performance.now();
    void call('settingsPage.touch');
  });

await show();

/** Shows what the page's state needs, in the current language. */
async function show(): Promise<void> {
  // Another language starts from the beginning.
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  document.documentElement.lang = language();
  picker.value = language();
  picker.setAttribute('aria-label', t('language'));
  byId('title', HTMLElement).textContent = t('title');
  closeButton.textContent = t('close');
  if (!isPanel) {
    main.replaceChildren(h('p', { class: 'not-panel', 'data-testid': 'not-panel' }, t('notPanel')));
    return;
  }
  const status = await call('settingsPage.status');
  if (signal.aborted) return;
  if (status.locked) await askForPin(main, status, signal);
  if (!signal.aborted) await showTabs();
}

async function showTabs(): Promise<void> {
  const content = h('div', { class: 'content' });
  const tabs = TABS.map(([name, cards]) => {
    const open = async () => {
      current = name;
      for (const tab of tabs) tab.setAttribute('aria-selected', String(tab.dataset.testid === `tab-${name}`));
      await attempt(async () => {
        const made = await cards();
        // A slow answer for a tab that was left meanwhile is dropped.
        if (current !== name) return;
        content.replaceChildren(...made);
        content.scrollTop = 0;
      });
    };
    const onclick = () => void open();
    return h('button', { type: 'button', role: 'tab', 'data-testid': `tab-${name}`, onclick }, t(name));
  });
  main.replaceChildren(h('nav', { role: 'tablist' }, ...tabs), content);
  const { name } = await call('system.info');
  byId('name', HTMLElement).textContent = name;
  tabs[TABS.findIndex(([tab]) => tab === current)]?.click();
}
