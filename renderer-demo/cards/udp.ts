import { unescapeText } from '../bytes.ts';
import { container } from '../container.ts';
import { CardStatus, chosen, element } from '../dom.ts';

/** Sends one UDP datagram to a device of the local network, as text or as hex bytes. */
export function startUdpCard(): void {
  const status = new CardStatus('udp');
  const form = element('udp-form', HTMLFormElement);
  const host = element('udp-host', HTMLInputElement);
  const port = element('udp-port', HTMLInputElement);
  const payload = element('udp-payload', HTMLInputElement);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void status.attempt(send, ({ sent }) => `Sent ${sent} bytes to ${host.value}:${port.value}.`);
  });

  function send() {
    return chosen('udp-mode') === 'hex'
      ? container.sendUdp(host.value, port.valueAsNumber, payload.value)
      : container.sendUdpRaw(host.value, port.valueAsNumber, unescapeText(payload.value));
  }
}
