import type { WordsFor } from '../../contract/device.ts';
import type { displayCommands } from './contract.ts';

/** The views in the menu: their names and their places. */
export const displayMenu = { display: ['screen', 10], idle: ['screen', 20] };

/** What the app says of it. */
export const displayWords = {
  display: ['Picture and sound', 'Bild und Ton', 'Imagen y sonido'],
  idle: ['Idle', 'Inaktivität', 'Reposo'],
  brightness: ['Brightness', 'Helligkeit', 'Brillo'],
  volume: ['Volume', 'Lautstärke', 'Volumen'],
  noLevels: [
    'This panel has no adjustable brightness or volume.',
    'An diesem Panel lassen sich weder Helligkeit noch Lautstärke einstellen.',
    'En este panel no se pueden ajustar ni el brillo ni el volumen.',
  ],
  light: ['Light', 'Licht', 'Luz'],
  lightOn: ['Light on', 'Licht an', 'Luz encendida'],
  muted: ['Muted', 'Stumm', 'Silenciado'],
  zoom: ['Zoom', 'Zoom', 'Zoom'],
  rotation: ['Rotation', 'Drehung', 'Rotación'],
  idle_active: ['In use', 'In Benutzung', 'En uso'],
  idle_dimmed: ['Dimmed', 'Gedimmt', 'Atenuada'],
  idle_saver: ['Screen saver', 'Bildschirmschoner', 'Salvapantallas'],
  idle_off: ['Dark', 'Dunkel', 'Apagada'],
  idleLine: ['After the last touch', 'Nach der letzten Berührung', 'Tras el último toque'],
  idleTouch: ['Touch', 'Berührung', 'Toque'],
  idle_dimAfter: ['Dimmed', 'Gedimmt', 'Atenuada'],
  idle_saverAfter: ['Screen saver', 'Bildschirmschoner', 'Salvapantallas'],
  idle_offAfter: ['Screen off', 'Bildschirm aus', 'Pantalla apagada'],
  idle_homeAfter: ['Home page', 'Startseite', 'Página de inicio'],
  idleTitle: ['Idle behaviour', 'Verhalten bei Inaktivität', 'Comportamiento en reposo'],
  idleHint: [
    'Each time counts in seconds from the last touch; 0 means never. A call, a message and a touch wake the screen.',
    'Jede Zeit zählt in Sekunden ab der letzten Berührung; 0 heißt nie. Anruf, Mitteilung und Berührung wecken den Bildschirm.',
    'Cada tiempo cuenta en segundos desde el último toque; 0 significa nunca. Una llamada, un mensaje y un toque despiertan la pantalla.',
  ],
  keyboardTitle: ['On-screen keyboard', 'Bildschirmtastatur', 'Teclado en pantalla'],
  keyboardHint: [
    'It opens where a person touches a field.',
    'Sie öffnet sich, wo jemand ein Feld berührt.',
    'Se abre donde alguien toca un campo.',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const displayCommandWords = {
  'display.state': [
    'Read the state of the screen',
    'Den Zustand des Bildschirms lesen',
    'Leer el estado de la pantalla',
  ],
  'display.set': [
    'Change screen or volume',
    'Bildschirm oder Lautstärke ändern',
    'Cambiar la pantalla o el volumen',
  ],
  'display.activity': ['Wake the panel', 'Das Panel wecken', 'Despertar el panel'],
} satisfies WordsFor<keyof typeof displayCommands>;
