import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../../config/contract.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import { isReachable } from '../client/httpPanel.ts';
import { CallError, call } from '../client/panel.ts';
import { clockText, language, t } from '../language.ts';
import { views } from '../views/views.generated.ts';
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
        <h1 id="view-title">{title}</h1>
        {entry !== undefined && <Tabs of={entry} view={view} tabs={listed(entry)} onSame={arrive} />}
        {view === undefined ? (
          <NoSuchView />
        ) : view.isForDevelopers && !isDeveloper ? (
          <OnlyDevelopers />
        ) : (
          <Opened key={view.name} load={view.load} />
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
    <div role="status" data-testid="offline" class={reachable ? '' : 'banner offline'}>
      {!reachable && t('offline', { name: info.data?.name ?? t('panel'), time: clockText(seenAt.current) })}
    </div>
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
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view?.name]);
  if (tabs.length < 2) return null;
  return (
    <nav class="tabs" aria-label={t(`entry_${of}`)}>
      <ul ref={list}>
        {tabs.map((one) => (
          <li key={one.name}>
            <a
              href={addressOf(pathOf(one))}
              data-testid={`tab-${one.name}`}
              aria-current={one.name === view?.name ? 'page' : undefined}
              onClick={one.name === view?.name ? onSame : undefined}
            >
              {t(one.name)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NoSuchView() {
  return (
    <Nothing words={t('noSuchViewHint')}>
      <a class="button" href={addressOf('')} data-testid="to-home">
        {t('toHome')}
      </a>
    </Nothing>
  );
}

function OnlyDevelopers() {
  return (
    <Nothing words={t('onlyDevelopers')}>
      <button type="button" class="primary" onClick={() => developerMode.set('on')}>
        {t('turnOn')}
      </button>
    </Nothing>
  );
}

function Nothing({ words, children }: { words: string; children: ComponentChildren }) {
  return (
    <div class="nothing" data-testid="nothing">
      <p>{words}</p>
      {children}
    </div>
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
function Opened({ load }: { load: () => Promise<ComponentType> }) {
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
      <div class="content" data-testid="view">
        <Content />
      </div>
    );
  if (!hasFailed) return <p class="hint">{t('loading')}</p>;
  return (
    <div class="content">
      <p class="mistake">{t('viewMissing')}</p>
      <button type="button" onClick={() => location.reload()}>
        {t('loadAgain')}
      </button>
    </div>
  );
}
