import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signOut } from '../client/httpPanel.ts';
import { call, panel } from '../client/panel.ts';
import { language, languages, setLanguage, t } from '../language.ts';
import { views } from '../views/views.generated.ts';
import { useCall } from './hooks.ts';
import { Icon } from './icons.tsx';
import { addressOf, route } from './route.ts';
import { useStore } from './store.ts';

/** The bar at the top, which is there in every state. */
export function Bar({ isIn }: { isIn: boolean }) {
  const isGlass = panel().door === 'glass';
  return (
    <header class="bar">
      <img src="icon.svg" alt="" />
      <p class="brand">Faceplate</p>
      {isIn ? <PanelName /> : <p class="name" />}
      <select
        data-testid="language"
        aria-label={t('language')}
        value={language.get()}
        onChange={({ currentTarget }) => setLanguage(currentTarget.value)}
      >
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
      {isGlass && (
        <button type="button" data-testid="close" onClick={() => void call('settingsPage.close')}>
          {t('close')}
        </button>
      )}
      {!isGlass && isIn && (
        <button type="button" data-testid="sign-out" onClick={() => signOut()}>
          {t('signOut')}
        </button>
      )}
    </header>
  );
}

function PanelName() {
  const { data } = useCall<{ name: string }>('system.info');
  return (
    <p class="name" data-testid="panel-name">
      {data?.name}
    </p>
  );
}

/** Menu and view. */
export function Shell() {
  const name = useStore(route);
  const view = views.find((one) => one.name === name) ?? views[0]!;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${t(view.name)} – Faceplate`;
    setMenuOpen(false);
    // After a choice in the menu the keys, and the screen reader, go on in the view.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    if (main.current !== null) main.current.scrollTop = 0;
  }, [view.name, language.get()]);
  return (
    <div class="shell">
      <nav aria-label={t('menu')} class={isMenuOpen ? 'open' : ''}>
        <button
          type="button"
          class="menu"
          data-testid="menu"
          aria-expanded={isMenuOpen}
          aria-controls="views"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" /> {t(view.name)}
        </button>
        <ul id="views">
          {views.map(({ name: one }) => (
            <li key={one}>
              <a
                href={addressOf(one)}
                data-testid={`tab-${one}`}
                aria-current={one === view.name ? 'page' : undefined}
                onClick={() => setMenuOpen(false)}
              >
                <Icon name={one} /> {t(one)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main ref={main} tabIndex={-1} aria-labelledby="view-title">
        <h1 id="view-title">{t(view.name)}</h1>
        <Opened key={view.name} load={view.load} />
      </main>
    </div>
  );
}

/** A view, as soon as its code is there. */
function Opened({ load }: { load: () => Promise<ComponentType> }) {
  const [state, setState] = useState<{ Content?: ComponentType; hasFailed?: boolean }>({});
  useEffect(() => {
    load().then(
      (Content) => setState({ Content }),
      // The panel has another version by now, or is gone.
      () => setState({ hasFailed: true }),
    );
  }, [load]);
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
