import { element } from './dom.ts';

/** Cards that share a place: one of them is shown. */
const PLACES = [
  ['camera-card', 'intercom-card'],
  ['led-card', 'ir-card'],
  ['pins-card', 'keyboard-card'],
  ['udp-card', 'screen-card'],
];

/** Shows a card instead of the one that it shares its place with. */
export function turnTo(card: string): void {
  for (const id of PLACES.find((place) => place.includes(card)) ?? [])
    element(id, HTMLElement).hidden = id !== card;
}

/** The buttons in the heads of these cards: each shows the other one. */
export function startSharing(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-show]'))
    button.addEventListener('click', () => turnTo(button.dataset.show!));
}
