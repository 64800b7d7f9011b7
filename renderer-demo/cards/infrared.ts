import type { ContainerEvents } from '../../preload/container.d.ts';
import { ask, container } from '../container.ts';
import { CardStatus, element, setAbsent } from '../dom.ts';

type Heard = ContainerEvents['ir'];
type Protocol = NonNullable<Heard['code']>['protocol'];

/** How long it waits for a key of a remote control, in seconds. */
const LEARN_SECONDS = 20;
/** Lines of the list. */
const MAX_LINES = 50;

/** Sends keys of remote controls, learns one, and lists what the panel's receivers hear. */
export function startInfraredCard(): void {
  const status = new CardStatus('ir');
  const form = element('ir-form', HTMLFormElement);
  const ports = element('ir-port', HTMLSelectElement);
  const protocol = element('ir-protocol', HTMLSelectElement);
  const address = element('ir-address', HTMLInputElement);
  const command = element('ir-command', HTMLInputElement);
  const learnButton = element('ir-learn', HTMLButtonElement);
  const log = element('ir-log', HTMLOListElement);
  const asLearned = new Option('as learned', '');
  /** A key of no protocol that the panel knows, as Pronto hex. */
  let pronto = '';

  const follow = () => {
    address.disabled = command.disabled = protocol.value === '';
  };
  protocol.addEventListener('change', follow);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void status.attempt(send, ({ port, ms }) => `${port} has sent ${ms} ms.`);
  });

  function send() {
    if (protocol.value === '') return ask({ action: 'irSend', port: ports.value, pronto });
    const code = {
      protocol: protocol.value as Protocol,
      address: address.valueAsNumber,
      command: command.valueAsNumber,
    };
    return ask({ action: 'irSend', port: ports.value, code });
  }

  learnButton.addEventListener('click', async () => {
    learnButton.disabled = true;
    status.say('Point a remote control at the receiver, and press a key.');
    const learned = await status.attempt(
      () => ask({ action: 'irLearn', seconds: LEARN_SECONDS }),
      () => 'Learned: press Send.',
    );
    learnButton.disabled = false;
    if (learned === undefined) return;
    if (learned.code === null) {
      pronto = learned.pronto;
      protocol.append(asLearned);
      protocol.value = '';
    } else {
      protocol.value = learned.code.protocol;
      address.valueAsNumber = learned.code.address;
      command.valueAsNumber = learned.code.command;
    }
    follow();
  });

  container.on('ir', ({ port, timings, code }) => {
    const line = document.createElement('li');
    line.className = 'received';
    const key = code && `${code.protocol} ${code.address} ${code.command}${code.repeat ? ' (held)' : ''}`;
    line.textContent = `${port}: ${key ?? `${timings.length} times of an unknown protocol`}`;
    log.append(line);
    if (log.children.length > MAX_LINES) log.firstElementChild!.remove();
    log.scrollTop = log.scrollHeight;
  });

  void container.call('ir.list').then(
    (list) => {
      if (list.ports.length === 0) setAbsent('ir', 'This board has no infrared.');
      learnButton.hidden = !list.ports.some(({ receives }) => receives);
      for (const { port, label, sends } of list.ports) if (sends) ports.add(new Option(label || port, port));
    },
    (error) => status.sayError(error),
  );
}
