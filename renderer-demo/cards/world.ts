import type { PinState } from '../../preload/container.d.ts';
import { bytesToHex, textToBytes, unescapeText } from '../bytes.ts';
import { ask, container } from '../container.ts';
import { CardStatus, element } from '../dom.ts';

/** Simulates the outside world of the simulated board: the wires at IO 1 and IO 2, and the device on a serial line. */
export function startWorldCard(): void {
  if (container.isOem) return;
  element('world-card', HTMLElement).hidden = false;

  const status = new CardStatus('world');
  const wires = [0, 1].map((pin) => {
    const wire = element(`world-pin-${pin}`, HTMLInputElement);
    wire.addEventListener('change', async () => {
      const level = wire.checked ? 1 : 0;
      const answer = await status.attempt(() => ask({ action: 'simulate', part: 'gpio', pin, level }));
      if (!answer) wire.checked = !wire.checked;
    });
    return wire;
  });

  const form = element('world-serial-form', HTMLFormElement);
  const port = element('world-serial-port', HTMLSelectElement);
  const text = element('world-serial-text', HTMLInputElement);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const hex = bytesToHex(textToBytes(unescapeText(text.value)));
    void status.attempt(
      () => ask({ action: 'simulate', part: 'serial', port: port.value, hex }),
      () => `The device at ${port.value} has sent it.`,
    );
  });

  const follow = ({ pin, level }: PinState) => {
    const wire = wires[pin];
    if (wire) wire.checked = level === 1;
  };
  container.on('snapshot', ({ gpio, serial }) => {
    for (const [pin, wire] of wires.entries()) wire.disabled = !gpio.some((each) => each.pin === pin);
    gpio.forEach(follow);
    port.replaceChildren(...serial.map((each) => new Option(each.port)));
  });
  container.on('gpio', follow);
}
