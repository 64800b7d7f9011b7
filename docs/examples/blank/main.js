// @ts-check
/// <reference path="./container.d.ts" />

/** The first relay of the panel. */
const RELAY = 2;

const panel = window.container;
const button = /** @type {HTMLButtonElement} */ (document.querySelector('#relay'));
const message = /** @type {HTMLElement} */ (document.querySelector('#message'));

/** @param {number} level */
function show(level) {
  button.setAttribute('aria-pressed', String(level === 1));
}

if (panel) {
  // First the state of everything, then each change, whoever made it.
  panel.on('snapshot', ({ gpio }) => show(gpio.find(({ pin }) => pin === RELAY)?.level ?? 0));
  panel.on('gpio', ({ pin, level }) => {
    if (pin === RELAY) show(level);
  });
  button.addEventListener('click', async () => {
    const level = button.getAttribute('aria-pressed') === 'true' ? 0 : 1;
    try {
      await panel.call('gpio.write', { pin: RELAY, level });
      message.textContent = '';
    } catch (error) {
      message.textContent = String(error);
    }
  });
} else {
  button.disabled = true;
  message.textContent = 'This page is not open on a panel.';
}
