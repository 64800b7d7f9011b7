import { CardStatus, element } from '../dom.ts';

/**
 * Fields for the panel's own keyboard. It needs nothing from the page but what every form should say anyway: `inputmode`
 * decides which keys are shown, `enterkeyhint` what Enter is called, and a password stays hidden.
 */
export function startKeyboardCard(): void {
  const status = new CardStatus('keyboard');
  const form = element('keyboard-form', HTMLFormElement);
  const name = element('keyboard-name', HTMLInputElement);
  const room = element('keyboard-room', HTMLInputElement);
  const code = element('keyboard-code-field', HTMLInputElement);
  const order = [name, room, code];

  // Enter goes on to the next field, as people know it from their phones.
  for (const [at, field] of order.entries()) {
    field.addEventListener('keydown', (event) => {
      const next = order[at + 1];
      if (event.key !== 'Enter' || next === undefined) return;
      event.preventDefault();
      next.focus();
    });
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    status.say(`${name.value || 'Nobody'}, room ${room.value || '–'}, ${code.value.length} digits.`);
  });
}
