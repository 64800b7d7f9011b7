import { startCameraCard } from './cards/camera.ts';
import { startInfraredCard } from './cards/infrared.ts';
import { startIntercomCard } from './cards/intercom.ts';
import { startKeyboardCard } from './cards/keyboard.ts';
import { startLedCard } from './cards/led.ts';
import { startPinsCard } from './cards/pins.ts';
import { startScreenCard } from './cards/screen.ts';
import { startSerialCard } from './cards/serial.ts';
import { startUdpCard } from './cards/udp.ts';
import { startWorldCard } from './cards/world.ts';
import { startCodeView } from './codeView.ts';
import { element } from './dom.ts';
import { startSharing } from './sharedPlaces.ts';

if (window.container) {
  const { isOem, version } = window.container;
  element('version', HTMLElement).textContent = `Faceplate ${version}`;
  element('board', HTMLElement).textContent = isOem ? 'Panel hardware' : 'Simulated board';
  document.body.classList.add(isOem ? 'real' : 'simulated');

  startCameraCard();
  startIntercomCard();
  startLedCard();
  startInfraredCard();
  startPinsCard();
  startScreenCard();
  startKeyboardCard();
  startSerialCard();
  startUdpCard();
  startWorldCard();
  startSharing();
  startCodeView();
} else {
  // An ordinary browser, or a page without the bridge: say so instead of showing cards that cannot work.
  element('cards', HTMLElement).hidden = true;
  element('no-container', HTMLElement).hidden = false;
}
