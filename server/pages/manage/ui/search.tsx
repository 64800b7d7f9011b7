import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import { settingWords } from '../../../config/settingWords.ts';
import { call } from '../client/panel.ts';
import { settingName, settingText, t } from '../language.ts';
import { restartChoice } from '../views/restart.tsx';
import { views } from '../views/views.generated.ts';
import { showDialog } from './dialog.tsx';
import { type Findable, found, settingPath, synonyms } from './finder.ts';
import { useCall } from './hooks.ts';
import { attempt } from './notice.tsx';
import { addressOf, pathOf } from './route.ts';
import { developerMode, useStore } from './store.ts';

/** Results that are shown at once. */
const AT_ONCE = 12;

interface Result extends Findable {
  readonly id: string;
  /** Leads there, or does it. */
  readonly choose: () => unknown;
}

let isOpen = false;

/** Opens the search over views, actions and settings. */
export async function openSearch(): Promise<void> {
  if (isOpen) return;
  isOpen = true;
  await showDialog('palette', t('find'), (close) => <Palette close={close} />);
  isOpen = false;
}

function goTo(path: string): void {
  location.assign(addressOf(path));
}

/** All that can be found now. */
function useResults(): readonly Result[] {
  const isDeveloper = useStore(developerMode) === 'on';
  const settings = useCall<SettingsAnswer>('settings.read').data?.settings;
  return useMemo(() => {
    const ofViews = views
      .filter((view) => isDeveloper || view.isForDevelopers !== true)
      .map((view) => {
        const path = pathOf(view);
        return {
          id: path,
          title: t(view.name),
          place: t(`entry_${view.entry}`),
          words: synonyms[path] ?? '',
          choose: () => goTo(path),
        };
      });
    return [...actions(), ...ofViews, ...pagesIn(settings), ...settingsIn(settings)];
  }, [isDeveloper, settings]);
}

function actions(): Result[] {
  const row = (id: string, title: string, words: string, choose: () => unknown): Result => ({
    id: `do-${id}`,
    title,
    place: t('findAction'),
    words,
    choose,
  });
  const light = (on: boolean) => () => attempt(() => call('display.set', { on }), t('done'));
  return [
    row('reload', t('reload'), 'refresh reload neu laden recargar', () =>
      attempt(() => call('kiosk.reload'), t('reloaded')),
    ),
    row('restart', t('quickRestart'), 'reboot restart neustart reiniciar', () => void restartChoice()),
    row('screen-off', t('screenOff'), 'dark night sleep dunkel nacht oscuro noche', light(false)),
    row('screen-on', t('screenOn'), 'wake light wecken licht despertar luz', light(true)),
    row('home', t('pageHome'), 'home start inicio', () => attempt(() => call('page.home'), t('done'))),
    row('developer', t('developer'), 'developer debug keys entwickler schlüssel desarrollo claves', () =>
      goTo('system'),
    ),
  ];
}

/** Pages that have a name are shown by it. */
function pagesIn(settings: SettingsAnswer['settings'] | undefined): Result[] {
  const entry = settings?.['kiosk.pages'];
  const pages = entry !== undefined && 'value' in entry ? (entry.value as { name: string }[]) : [];
  return pages.map(({ name }) => ({
    id: `page-${name}`,
    title: name,
    place: t('findPage'),
    words: '',
    choose: () => attempt(() => call('page.show', { page: name }), t('done')),
  }));
}

function settingsIn(settings: SettingsAnswer['settings'] | undefined): Result[] {
  return Object.entries(settings ?? {}).map(([key, { description }]) => ({
    id: `setting-${key}`,
    title: settingName(key),
    place: t('findSetting'),
    // Its names in the other languages find it too.
    words: [key, settingText(key, description), ...(settingWords[key]?.name ?? [])].join(' '),
    choose: () => goTo(settingPath(key)),
  }));
}

function Palette({ close }: { close: () => void }) {
  const all = useResults();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const options = useRef<HTMLDivElement>(null);
  const results = useMemo(() => found(query, all).slice(0, AT_ONCE), [query, all]);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    options.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const choose = (result: Result | undefined) => {
    if (result === undefined) return;
    close();
    result.choose();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((now) => (now + step + results.length) % Math.max(results.length, 1));
    else if (event.key === 'Enter') choose(results[at]);
    // Of itself it would only empty the field.
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={field}
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: without a datalist it is none by itself.
        role="combobox"
        list={undefined}
        aria-label={t('find')}
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={results.length > 0 ? `${list}-${at}` : undefined}
        placeholder={t('findHint')}
        autoComplete="off"
        spellcheck={false}
        data-testid="palette-field"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={options} id={list} role="listbox" aria-label={t('findResults')} data-testid="palette-results">
        {results.map((result, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
          <div
            key={result.id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            data-testid={`found-${result.id}`}
            onClick={() => choose(result)}
          >
            <span>{result.title}</span> <span class="hint">{result.place}</span>
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {results.length === 0 && t('findNothing', { query })}
      </p>
    </>
  );
}
