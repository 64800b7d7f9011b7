import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import type { PageStatus } from '../../kiosk/settingsPage/contract.ts';
import { GlassPanel } from './client/glassPanel.ts';
import { HttpPanel, signOut, token } from './client/httpPanel.ts';
import { call, panel, usePanelAt } from './client/panel.ts';
import { adoptLanguage, language, t } from './language.ts';
import { Hint, Wizard } from './setup/wizard.tsx';
import { Dialogs } from './ui/dialog.tsx';
import { NoticeBox, tellOfYes } from './ui/notice.tsx';
import { LockScreen } from './ui/pinPad.tsx';
import { takePairingCode } from './ui/route.ts';
import { Bar, Shell } from './ui/shell.tsx';
import { SignIn } from './ui/signIn.tsx';
import { store, useStore } from './ui/store.ts';

/** When the glass asks again for its state after a question that failed, in milliseconds. */
const AGAIN_MS = 2_000;
/** How often the glass reports that a person uses it, in milliseconds. */
const TOUCH_EVERY_MS = 5_000;

const { faceplateHost } = window as unknown as { faceplateHost?: BuiltInPageChannel };
const pairingCode = takePairingCode();
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
  const [code, setCode] = useState(pairingCode);
  const [before] = useState(known);
  const isIn = known !== undefined && (code === undefined || known !== before);
  useEffect(() => {
    if (isIn) setCode(undefined);
  }, [isIn]);
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
    return <Wizard status={status} ask={ask} onLater={() => leaveSetup(status)} />;
  return (
    <>
      <Bar isIn={status?.locked === false} />
      {status?.locked === false && status.setupStep !== null && (
        <div class="banner setup-entry">
          <span class="grow">{t('setupGoesOn')}</span>
          <button type="button" data-testid="setup-entry" onClick={() => isSettingUp.set(true)}>
            {t('setupGoOn')}
          </button>
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
