import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import type { PageStatus } from '../../kiosk/settingsPage/contract.ts';
import { GlassPanel } from './client/glassPanel.ts';
import { HttpPanel, signOut, token } from './client/httpPanel.ts';
import { call, panel, usePanelAt } from './client/panel.ts';
import { adoptLanguage, language, languages, setLanguage, t } from './language.ts';
import { beginOnPhone, GlassWizard, Hint, PhoneWizard, usePhoneStep } from './setup/wizard.tsx';
import { Banner } from './ui/card.tsx';
import { Dialogs } from './ui/dialog.tsx';
import { useCall } from './ui/hooks.ts';
import { Icon } from './ui/icons.tsx';
import { NoticeBox, tellOfYes } from './ui/notice.tsx';
import { LockScreen } from './ui/pinPad.tsx';
import { takePairingCode } from './ui/route.ts';
import { usePopover } from './ui/roving.tsx';
import { openSearch } from './ui/search.tsx';
import { Shell } from './ui/shell.tsx';
import { SignIn } from './ui/signIn.tsx';
import { developerMode, store, theme, useStore } from './ui/store.ts';

/** When the glass asks again for its state after a question that failed, in milliseconds. */
const AGAIN_MS = 2_000;
/** How often the glass reports that a person uses it, in milliseconds. */
const TOUCH_EVERY_MS = 5_000;

const { faceplateHost } = window as unknown as { faceplateHost?: BuiltInPageChannel };
// The first set-up asks so for its steps; what takes the code removes this from the address too.
if (location.search === '?setup') beginOnPhone();
/** The code that was scanned, until it has let this browser in: another language must not send it again. */
const pairingCode = store(takePairingCode());
const tokenBefore = token.get();
usePanelAt(
  faceplateHost === undefined
    ? new HttpPanel({
        token: token.get,
        onUnknownToken: () => signOut('unknown'),
        onWaiting: (command) => void tellOfYes(command),
      })
    : new GlassPanel(faceplateHost),
);
document.documentElement.dataset.door = panel().door;
if (faceplateHost !== undefined) reportTouches();

function App() {
  const code = useStore(language);
  document.documentElement.lang = code;
  document.documentElement.dataset.theme = useStore(theme);
  document.documentElement.dataset.developer = useStore(developerMode);
  // Another language starts from the beginning.
  return (
    <>
      {panel().door === 'glass' ? <Glass key={code} /> : <Browser key={code} />}
      <NoticeBox />
      <Dialogs />
    </>
  );
}

function Browser() {
  const known = useStore(token);
  // A code that was scanned counts more than a token of before.
  const code = useStore(pairingCode);
  const isIn = known !== undefined && (code === undefined || known !== tokenBefore);
  useEffect(() => {
    if (isIn) pairingCode.set(undefined);
  }, [isIn]);
  const step = usePhoneStep();
  if (isIn && step !== undefined) return <PhoneWizard step={step} />;
  return (
    <>
      <Bar isIn={isIn} />
      {isIn ? <Shell /> : <SignIn code={code} />}
    </>
  );
}

/** Whether the person at the panel is in the first set-up; another language does not end it. */
const isSettingUp = store(false);

function Glass() {
  const [status, setStatus] = useState<PageStatus>();
  const inSetup = useStore(isSettingUp);
  const ask = async () => {
    const now = await call('settingsPage.status');
    if (now.mode === 'setup' && status === undefined) isSettingUp.set(true);
    // Before the PIN the panel says nothing of itself.
    if (!now.locked) adoptLanguage((await call('panel.facts')).language);
    setStatus(now);
  };
  // Without its state the page is empty, and no one at a wall loads it again.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askUntilAnswered = () =>
      void ask().catch(() => {
        timer = setTimeout(askUntilAnswered, AGAIN_MS);
      });
    askUntilAnswered();
    return () => clearTimeout(timer);
  }, []);
  if (status?.mode === 'hint') return <Hint />;
  if (status?.locked === false && status.setupStep !== null && inSetup)
    return <GlassWizard status={status} ask={ask} onLater={() => leaveSetup(status)} />;
  return (
    <>
      <Bar isIn={status?.locked === false} />
      {status?.locked === false && status.setupStep !== null && (
        <div class="setup-entry">
          <Banner
            kind="info"
            words={t('setupGoesOn')}
            action={
              <button type="button" data-testid="setup-entry" onClick={() => isSettingUp.set(true)}>
                {t('setupGoOn')}
              </button>
            }
          />
        </div>
      )}
      {status?.locked === false && <Shell />}
      {status?.locked === true && (
        <main class="locked-page">
          <LockScreen status={status} onOpen={() => void ask()} />
        </main>
      )}
    </>
  );
}

/** Back to the settings where it was opened from there, else to the page. */
function leaveSetup({ mode }: PageStatus): void {
  isSettingUp.set(false);
  if (mode === 'setup') void call('settingsPage.close');
}

/** Their keyboards have another key for it. */
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The bar at the top, which is there in every state. */
function Bar({ isIn }: { isIn: boolean }) {
  const isGlass = panel().door === 'glass';
  useEffect(() => {
    if (!isIn) return;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      void openSearch();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isIn]);
  return (
    <header class="bar">
      <img src="icon.svg" alt="" />
      {isIn ? <PanelName /> : <p class="name">Faceplate</p>}
      {isIn && (
        <button
          type="button"
          class="icon-button search-button"
          data-testid="search-open"
          aria-label={t('find')}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => void openSearch()}
        >
          <Icon name="search" /> <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      )}
      {isIn ? <Account /> : <LanguageChoice />}
      {isGlass && (
        <button type="button" data-testid="close" onClick={() => void call('settingsPage.close')}>
          {t('close')}
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

function LanguageChoice() {
  return (
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
  );
}

const THEMES = ['auto', 'light', 'dark'] as const;

/** What is about the person rather than the panel: language, look, and the way out. */
function Account() {
  const { isOpen, setOpen, place } = usePopover();
  const chosen = useStore(theme);
  const isGlass = panel().door === 'glass';
  return (
    <div class="popover" ref={place}>
      <button
        type="button"
        class="icon-button"
        data-testid="account"
        aria-label={t('account')}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="account" />
      </button>
      {isOpen && (
        <div class="popover-menu account-menu">
          <div class="field">
            <span aria-hidden="true">{t('language')}</span>
            <LanguageChoice />
          </div>
          {!isGlass && (
            <label class="field">
              <span>{t('theme')}</span>
              <select
                data-testid="theme"
                value={chosen}
                onChange={({ currentTarget }) => theme.set(THEMES[currentTarget.selectedIndex] ?? 'auto')}
              >
                {THEMES.map((each) => (
                  <option key={each} value={each}>
                    {t(`theme_${each}`)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {!isGlass && (
            <button type="button" data-testid="sign-out" onClick={() => signOut()}>
              {t('signOut')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function reportTouches(): void {
  let touchedAt = Number.NEGATIVE_INFINITY;
  for (const type of ['pointerdown', 'keydown', 'wheel'])
    addEventListener(type, () => {
      if (performance.now() - touchedAt < TOUCH_EVERY_MS) return;
      touchedAt = performance.now();
      void call('settingsPage.touch');
    });
}

render(<App />, document.body);
