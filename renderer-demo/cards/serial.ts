import type { SerialPortState } from '../../preload/container.d.ts';
import { bytesToHex, bytesToText, hexToBytes, textToBytes, unescapeText } from '../bytes.ts';
import { ask, container } from '../container.ts';
import { CardStatus, chosen, element, setAbsent } from '../dom.ts';

/** Calls on one port wait for each other: a read that waits longer than this would delay writes. */
const READ_MS = 200;
/** After a failure the port is tried again, but not at once. */
const RETRY_MS = 1000;
const LOG_LINES = 200;

/** Sends text or hex bytes to a serial port and, while it listens, shows what comes back. */
export function startSerialCard(): void {
  const status = new CardStatus('serial');
  const form = element('serial-form', HTMLFormElement);
  const port = element('serial-port', HTMLSelectElement);
  const baudRate = element('serial-baud', HTMLSelectElement);
  const listen = element('serial-listen', HTMLInputElement);
  const payload = element('serial-payload', HTMLInputElement);
  const log = element('serial-log', HTMLOListElement);
  const clear = element('serial-clear', HTMLButtonElement);
  const state = element('serial-state', HTMLElement);
  const states = new Map<string, SerialPortState['state']>();
  let isReading = false;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void status.attempt(send, ({ sent }) => `Sent ${sent} bytes.`);
  });

  async function send() {
    const bytes =
      chosen('serial-mode') === 'hex' ? hexToBytes(payload.value) : textToBytes(unescapeText(payload.value));
    const answer = await ask({
      action: 'serialWrite',
      port: port.value,
      baudRate: Number(baudRate.value),
      hex: bytesToHex(bytes),
    });
    addLine('sent', bytes);
    return answer;
  }

  listen.addEventListener('change', () => void readWhileListening());

  /** Reads again and again until the switch is off; after a failure (such as an unplugged cable) it shows it and tries again. */
  async function readWhileListening(): Promise<void> {
    if (isReading) return;
    isReading = true;
    let hasFailed = false;
    while (listen.checked) {
      const from = port.value;
      try {
        const answer = await ask({
          action: 'serialRead',
          port: from,
          baudRate: Number(baudRate.value),
          timeout: READ_MS,
        });
        if (hasFailed) status.say('');
        hasFailed = false;
        if (answer.hex) addLine('received', hexToBytes(answer.hex));
      } catch (error) {
        hasFailed = true;
        status.sayError(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      if (!listen.checked || port.value !== from) await close(from);
    }
    isReading = false;
  }

  async function close(name: string): Promise<void> {
    await ask({ action: 'serialClose', port: name }).catch((error) => status.sayError(error));
  }

  function addLine(direction: 'sent' | 'received', content: Uint8Array): void {
    const line = document.createElement('li');
    line.className = direction;
    line.dataset.testid = `serial-${direction}`;
    const bytes = document.createElement('span');
    bytes.className = 'bytes';
    bytes.textContent = bytesToHex(content);
    const text = document.createElement('span');
    text.className = 'text';
    text.textContent = bytesToText(content);
    line.append(bytes, text);
    log.append(line);
    while (log.children.length > LOG_LINES) log.firstElementChild?.remove();
    log.scrollTop = log.scrollHeight;
  }

  clear.addEventListener('click', () => log.replaceChildren());
  port.addEventListener('change', showState);

  function showState(): void {
    const current = states.get(port.value) ?? 'closed';
    state.textContent = current;
    state.dataset.state = current;
  }

  container.on('snapshot', ({ serial }) => {
    if (serial.length === 0) setAbsent('serial', 'This board has no serial port.');
    port.replaceChildren(...serial.map((each) => new Option(each.port)));
    for (const each of serial) states.set(each.port, each.state);
    showState();
  });
  container.on('serial', (changed) => {
    states.set(changed.port, changed.state);
    showState();
  });
}
