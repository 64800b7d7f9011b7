import type { SipStatus } from '../../preload/container.d.ts';
import { container } from '../container.ts';
import { CardStatus, element, setAbsent } from '../dom.ts';
import { latestOnly } from '../latestOnly.ts';
import { turnTo } from '../sharedPlaces.ts';

const { sip } = container;
const EVENTS = [
  'incomingCall',
  'callConnected',
  'callEnded',
  'callFailed',
  'panelFound',
  'panelLost',
  'pagingStatusChanged',
] as const;
const KEYS = '123456789*0#';

/** The intercom: it rings, shows who is at the door, talks, opens the door, calls and makes announcements. */
export async function startIntercomCard(): Promise<void> {
  const status = new CardStatus('intercom');
  const stateLine = element('intercom-state', HTMLElement);
  const form = element('intercom-idle', HTMLFormElement);
  const target = element('intercom-target', HTMLInputElement);
  const lists = element('intercom-lists', HTMLElement);
  const incomingRow = element('intercom-incoming', HTMLElement);
  const activeRow = element('intercom-active', HTMLElement);
  const soundRow = element('intercom-sound', HTMLElement);
  const keyPad = element('intercom-keys', HTMLElement);
  const keyButton = element('intercom-pad', HTMLButtonElement);
  const muteButton = element('intercom-mute', HTMLButtonElement);
  const volume = element('intercom-volume', HTMLInputElement);
  const volumeValue = element('intercom-volume-value', HTMLOutputElement);
  let now: SipStatus | undefined;
  /** The call whose picture was requested. */
  let shown: string | null = null;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = target.value.trim();
    // Only digits, or a name, are an extension; an address has dots or colons.
    void act(() => (/[.:]/.test(text) ? sip.placeCallToIp(text) : sip.placeCallToExtension(text)));
  });
  element('intercom-page', HTMLButtonElement).addEventListener('click', () => act(() => sip.pageAll()));
  muteButton.addEventListener('click', () => act(() => sip.setMicMuted(!now?.micMuted)));
  keyButton.addEventListener('click', () => {
    keyButton.setAttribute('aria-pressed', String(keyPad.hidden));
    if (now) show(now);
  });
  for (const row of [incomingRow, activeRow]) {
    for (const button of row.querySelectorAll<HTMLButtonElement>('button[value]')) {
      const method = button.value as 'answer' | 'ignore' | 'reject' | 'openDoor' | 'hangup';
      if (button.value !== '') button.addEventListener('click', () => act(() => sip[method]()));
    }
  }
  for (const key of KEYS) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = key;
    button.dataset.testid = `intercom-key-${key}`;
    button.addEventListener('click', () => act(() => sip.sendDtmf(key)));
    keyPad.append(button);
  }
  const sendVolume = latestOnly((value: number) => act(() => sip.setCallVolume(value)));
  volume.addEventListener('input', () => {
    showVolume(volume.valueAsNumber);
    sendVolume(volume.valueAsNumber);
  });

  /** Does it and shows the result; `lastError` is a sentence for people. */
  async function act(work: () => Promise<SipStatus>): Promise<void> {
    const result = await status.attempt(work, ({ lastError }) => lastError ?? '');
    if (!result) return;
    show(result);
    // An ignored call ends without an event.
    if (isIdleNow(result)) await showLists();
  }

  function show(next: SipStatus): void {
    const wasIdle = now === undefined || isIdleNow(now);
    now = next;
    const { callStatus, incomingCallerName: caller } = next;
    const isIdle = isIdleNow(next);
    // Also a call that began before the page was loaded.
    if (wasIdle && !isIdle) turnTo('intercom-card');
    const isIncoming = callStatus === 'incoming...';
    stateLine.textContent = caller === '' ? `${next.deviceName}: ${callStatus}` : `${caller}: ${callStatus}`;
    form.hidden = !isIdle;
    lists.hidden = !isIdle;
    incomingRow.hidden = !isIncoming;
    activeRow.hidden = isIdle || isIncoming;
    const hasKeys = keyButton.getAttribute('aria-pressed') === 'true';
    keyPad.hidden = activeRow.hidden || !hasKeys;
    soundRow.hidden = activeRow.hidden || hasKeys;
    muteButton.setAttribute('aria-pressed', String(next.micMuted));
    if (!sendVolume.isBusy) showVolume(next.callVolume);
    if (next.callHasVideo && next.activeCallId !== shown) {
      shown = next.activeCallId;
      // As soon as it rings, so that the visitor is seen before anybody answers.
      sip.showVideo({ target: 'remote', divId: 'intercom-picture' }).catch((error) => status.sayError(error));
    }
  }

  function showVolume(value: number): void {
    volume.valueAsNumber = value;
    volume.style.setProperty('--level', `${value * 10}%`);
    volumeValue.value = String(value);
  }

  async function showLists(): Promise<void> {
    const [panels, calls] = await Promise.all([sip.listPanels(), sip.history()]);
    const buttons = panels.map(({ name, host, port }) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.addEventListener('click', () => act(() => sip.placeCallToIp(addressOf(host, port))));
      return button;
    });
    element('intercom-panels', HTMLElement).replaceChildren(
      ...(buttons.length > 0 ? buttons : [note('none found yet')]),
    );
    const rows = calls.slice(0, 20).map(({ direction, name, address, startedAt, outcome }) => {
      const row = document.createElement('li');
      const arrow = direction === 'incoming' ? '←' : '→';
      row.append(
        span('name', `${arrow} ${name || address || 'all panels'}`),
        span(outcome, outcome),
        span('when', new Date(startedAt).toLocaleTimeString([], { timeStyle: 'short' })),
      );
      return row;
    });
    element('intercom-history', HTMLElement).replaceChildren(
      ...(rows.length > 0 ? rows : [note('none yet')]),
    );
  }

  async function refresh(): Promise<void> {
    const next = await sip.getStatus();
    if (next.lastError !== null) status.say(next.lastError);
    show(next);
    await showLists();
  }

  // Before the first status, so that no event is missed in between.
  for (const event of EVENTS) sip.on(event, () => void refresh().catch((error) => status.sayError(error)));
  try {
    // This card draws calls; without it the panel shows a sheet of its own above the page.
    await sip.claim();
    await refresh();
  } catch (error) {
    stateLine.textContent = 'Switched off';
    setAbsent('intercom', 'Turn the intercom on in the settings of the panel, under Intercom.');
    if ((error as { code?: string }).code !== 'SIP_DISABLED') status.sayError(error);
    return;
  }
  // No event reports `ringing` and the end of `failed`.
  setInterval(() => {
    if (now && now.callStatus !== 'idle' && !now.callStatus.startsWith('connected'))
      sip.getStatus().then(show, (error) => status.sayError(error));
  }, 500);
}

const isIdleNow = ({ callStatus }: SipStatus) => callStatus === 'idle' || callStatus === 'failed';

function span(className: string, text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = className;
  made.textContent = text;
  return made;
}

function note(text: string): HTMLElement {
  const item = document.createElement('li');
  item.append(span('when', text));
  return item;
}

/** An address with a port; IPv6 in brackets. */
const addressOf = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
