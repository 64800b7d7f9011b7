import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import { isReachable } from '../client/httpPanel.ts';
import { CallError, call, settingsChanges } from '../client/panel.ts';
import { clockText, language, settingName, t } from '../language.ts';
import { restartChoice } from '../views/restart.tsx';
import { views } from '../views/views.generated.ts';
import { Banner, EmptyState, Skeleton } from './card.tsx';
import { useCall, useEvery } from './hooks.ts';
import { Icon } from './icons.tsx';
import {
  addressOf,
  type Entry,
  entries,
  listedUnder,
  pathOf,
  placeOf,
  replaceRoute,
  route,
  type View,
} from './route.ts';
import { Group } from './roving.tsx';
import { developerMode, useStore } from './store.ts';

/** Entries that have a place of their own at the bottom of a phone; the others are behind "More". */
const ON_PHONE = 4;
/** How long a view may take until what an address points at is in it, in milliseconds. */
const POINT_MS = 10_000;
/** How often the menu looks whether other panels are heard, in milliseconds. */
const OTHERS_EVERY_MS = 60_000;

/** Menu and view. */
export function Shell() {
  const path = useStore(route);
  const isDeveloper = useStore(developerMode) === 'on';
  const othersHeard = useOthersHeard();
  const reachable = useStore(isReachable);
  const place = placeOf(path, views);
  const to = place !== undefined && 'to' in place ? place.to : undefined;
  useEffect(() => {
    if (to !== undefined) replaceRoute(to);
  }, [to]);
  const found = place !== undefined && 'view' in place ? place : undefined;
  const view = found?.view;
  const entry = view && listedUnder(view, othersHeard);
  const title = entry === undefined ? t('noSuchView') : t(`entry_${entry}`);
  const main = useRef<HTMLElement>(null);
  useArrival(main, view === undefined ? title : t(view.name), path, found?.at);
  if (to !== undefined) return null;
  // A choice of what is open already changes no address.
  const arrive = () => main.current?.focus();
  const listed = (one: Entry) =>
    views.filter(
      (each) => listedUnder(each, othersHeard) === one && (isDeveloper || each.isForDevelopers !== true),
    );
  return (
    <div class="shell">
      <button type="button" class="skip" data-testid="skip" onClick={arrive}>
        {t('skip')}
      </button>
      <Menu entry={entry} listed={listed} onSame={arrive} />
      <main ref={main} tabIndex={-1} aria-labelledby="view-title" data-stale={reachable ? undefined : 'true'}>
        <Offline />
        <RestartBar />
        <h1 id="view-title">{title}</h1>
        {entry !== undefined && <Tabs of={entry} view={view} tabs={listed(entry)} onSame={arrive} />}
        {view === undefined ? (
          <NoSuchView />
        ) : view.isForDevelopers && !isDeveloper ? (
          <OnlyDevelopers />
        ) : (
          <Opened
            key={view.name}
            load={view.load}
            tab={entry !== undefined && listed(entry).length > 1 ? `tab-${view.name}` : undefined}
          />
        )}
      </main>
    </div>
  );
}

/** How often a panel that does not answer is asked again, and one that does, in milliseconds. */
const ASK_AGAIN_MS = 2_000;
const ASK_EVERY_MS = 15_000;

/** Says over all views that the panel does not answer, and asks until it does. */
function Offline() {
  const info = useCall<{ name: string }>('system.info');
  const reachable = useStore(isReachable);
  const seenAt = useRef(new Date());
  if (reachable) seenAt.current = new Date();
  useEvery(reachable ? ASK_EVERY_MS : ASK_AGAIN_MS, info.reload);
  return (
    <div role="status" data-testid="offline" class={reachable ? '' : 'offline'}>
      {!reachable && (
        <Banner
          words={t('offline', { name: info.data?.name ?? t('panel'), time: clockText(seenAt.current) })}
        />
      )}
    </div>
  );
}

/** So many settings are named in the bar. */
const NAMED = 4;

/** Says over all views what applies only after a restart, and offers it. */
function RestartBar() {
  const settings = useCall<SettingsAnswer>('settings.read');
  useEvery(ASK_EVERY_MS, settings.reload);
  useEffect(() => settingsChanges.subscribe(() => void settings.reload()), [settings.reload]);
  const keys = settings.data?.restartNeeded ?? [];
  if (keys.length === 0) return null;
  const names = keys.slice(0, NAMED).map(settingName).join(', ');
  return (
    <Banner
      role="status"
      testId="restart-needed"
      title={t('changesWait', { count: keys.length })}
      words={keys.length > NAMED ? `${names} …` : names}
      action={
        <button
          type="button"
          class="secondary"
          data-testid="restart-now"
          onClick={() => void restartChoice()}
        >
          {t('restartNow')}
        </button>
      }
    />
  );
}

/** After each way to another view the keys, and the screen reader, go on in it, at what the address points at. */
function useArrival(
  main: { readonly current: HTMLElement | null },
  title: string,
  path: string,
  at: string | undefined,
): void {
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} – Faceplate`;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
    if (at === undefined || main.current === null) return;
    const place = main.current;
    const point = () => {
      const element = place.querySelector<HTMLElement>(`[data-testid="setting-${CSS.escape(at)}"]`);
      if (element === null) return;
      stop();
      element.classList.add('pointed');
      element.scrollIntoView({ block: 'center' });
      element.querySelector<HTMLElement>('button, input, select')?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(point);
    const timer = setTimeout(() => observer.disconnect(), POINT_MS);
    const stop = () => {
      clearTimeout(timer);
      observer.disconnect();
    };
    observer.observe(place, { childList: true, subtree: true });
    point();
    return stop;
  }, [path, title, language.get()]);
}

interface MenuProps {
  readonly entry: Entry | undefined;
  listed(entry: Entry): readonly View[];
  readonly onSame: () => void;
}

function Menu({ entry, listed, onSame }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const shown = entries.filter((one) => listed(one).length > 0);
  const link = (one: Entry) => (
    <li key={one}>
      <a
        href={addressOf(pathOf(listed(one)[0]!))}
        data-testid={`entry-${one}`}
        aria-current={one === entry ? 'page' : undefined}
        onClick={({ currentTarget }) => {
          close();
          if (currentTarget.hash === location.hash) onSame();
        }}
      >
        <Icon name={one} /> <span>{t(`entry_${one}`)}</span>
      </a>
    </li>
  );
  const [first, behind] = [shown.slice(0, ON_PHONE), shown.slice(ON_PHONE)];
  return (
    <nav
      class={`rail ${isOpen ? 'open' : ''}`}
      aria-label={t('menu')}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <ul>{first.map(link)}</ul>
      <ul class="behind" id="behind-more">
        {behind.map(link)}
      </ul>
      <button
        type="button"
        class={`more ${behind.some((one) => one === entry) ? 'current' : ''}`}
        data-testid="more"
        aria-expanded={isOpen}
        aria-controls="behind-more"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" /> <span>{t('more')}</span>
      </button>
    </nav>
  );
}

interface TabsProps {
  readonly of: Entry;
  readonly view: View | undefined;
  readonly tabs: readonly View[];
  readonly onSame: () => void;
}

function Tabs({ of, view, tabs, onSame }: TabsProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view?.name]);
  if (tabs.length < 2) return null;
  return (
    <div class="tabs" ref={place}>
      <Group role="tablist" label={t(`entry_${of}`)}>
        {tabs.map((one) => (
          <a
            key={one.name}
            id={`tab-${one.name}`}
            role="tab"
            href={addressOf(pathOf(one))}
            data-testid={`tab-${one.name}`}
            aria-selected={one.name === view?.name}
            aria-current={one.name === view?.name ? 'page' : undefined}
            onClick={one.name === view?.name ? onSame : undefined}
          >
            {t(one.name)}
          </a>
        ))}
      </Group>
    </div>
  );
}

function NoSuchView() {
  return (
    <EmptyState icon="search" words={t('noSuchViewHint')} testId="nothing">
      <a class="button" href={addressOf('')} data-testid="to-home">
        {t('toHome')}
      </a>
    </EmptyState>
  );
}

function OnlyDevelopers() {
  return (
    <EmptyState icon="system" words={t('onlyDevelopers')} testId="nothing">
      <button type="button" class="primary" onClick={() => developerMode.set('on')}>
        {t('turnOn')}
      </button>
    </EmptyState>
  );
}

/** Whether this panel hears others, which gives the fleet an entry of its own. */
function useOthersHeard(): boolean {
  const [isHeard, setHeard] = useState(false);
  const look = async () => {
    try {
      const { settings } = (await call('settings.read')) as SettingsAnswer;
      const fleet = settings['mqtt.fleet'];
      if (fleet === undefined || !('value' in fleet) || fleet.value !== true) return setHeard(false);
      const { panels } = (await call('fleet.list')) as ResultOf<'fleet.list'>;
      setHeard(panels.length > 1);
    } catch (error) {
      // A token that may not read them has no use for the entry either.
      if (!(error instanceof CallError)) throw error;
    }
  };
  useEffect(() => void look(), []);
  useEvery(OTHERS_EVERY_MS, look);
  return isHeard;
}

/** A view, as soon as its code is there. */
function Opened({ load, tab }: Pick<View, 'load'> & { tab: string | undefined }) {
  const [state, setState] = useState<{ Content?: ComponentType; hasFailed?: boolean }>({});
  useEffect(() => {
    load().then(
      (Content) => setState({ Content }),
      // The panel has another version by now, or is gone, which a call finds out.
      () => {
        setState({ hasFailed: true });
        call('system.info').catch(() => {});
      },
    );
  }, [load]);
  // A browser does not fetch a file again that failed once.
  useEffect(() => {
    if (!state.hasFailed) return;
    return isReachable.subscribe(() => {
      if (isReachable.get()) location.reload();
    });
  }, [state.hasFailed]);
  const { Content, hasFailed } = state;
  if (Content !== undefined)
    return (
      <div
        class="content"
        {...(tab !== undefined && { role: 'tabpanel', 'aria-labelledby': tab })}
        data-testid="view"
      >
        <Content />
      </div>
    );
  if (!hasFailed) return <Skeleton />;
  return (
    <EmptyState icon="alert" words={t('viewMissing')}>
      <button type="button" onClick={() => location.reload()}>
        {t('loadAgain')}
      </button>
    </EmptyState>
  );
}
