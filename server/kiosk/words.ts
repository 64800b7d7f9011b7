import type { WordsFor } from '../contract/device.ts';
import type { pageCommands } from './contract.ts';
import type { liveCommands } from './live/contract.ts';

/** The views in the menu: their names and their places. */
export const kioskMenu = {
  pages: ['content', 10],
  web: ['content', 40],
  remote: ['screen', 40],
  console: ['system', 40],
};

/** What the app says of it. */
export const kioskWords = {
  // Remote control
  remote: ['Remote control', 'Fernsteuerung', 'Control remoto'],
  screenIsHere: [
    'The page is on this screen, behind the settings.',
    'Die Seite ist auf diesem Bildschirm, hinter den Einstellungen.',
    'La página está en esta pantalla, detrás de los ajustes.',
  ],
  noLive: [
    'This version of the panel takes no touches from afar; the picture is new every 5 seconds.',
    'Diese Version des Panels nimmt keine Berührungen aus der Ferne an; das Bild kommt alle 5 Sekunden neu.',
    'Esta versión del panel no acepta toques a distancia; la imagen se renueva cada 5 segundos.',
  ],
  screenLabel: [
    'The page on the panel; touches and keys go to it',
    'Die Seite auf dem Panel; Berührungen und Tasten gehen an sie',
    'La página del panel; los toques y las teclas van a ella',
  ],
  screenHint: [
    'Touch the picture to touch the page; with the focus on it, your keys go there too. The panel shows that somebody watches.',
    'Wer das Bild berührt, berührt die Seite; liegt der Fokus darauf, gehen auch die Tasten dorthin. Das Panel zeigt an, dass jemand zusieht.',
    'Al tocar la imagen se toca la página; con el foco en ella, también van las teclas. El panel indica que alguien mira.',
  ],
  liveEnded: [
    'There is no live picture now: the panel ended it, four already watch, or your token may not.',
    'Es gibt gerade kein Livebild: Das Panel hat es beendet, es sehen schon vier zu, oder Ihr Token darf es nicht.',
    'No hay imagen en directo: el panel la terminó, ya miran cuatro o su token no lo permite.',
  ],
  typeInto: ['Type into the page', 'In die Seite tippen', 'Escribir en la página'],

  // Pages
  pages: ['Now and playlist', 'Jetzt und Wiedergabe', 'Ahora y lista'],
  web: ['Web options', 'Web-Optionen', 'Opciones web'],
  pageNow: ['On the screen now', 'Jetzt auf dem Bildschirm', 'Ahora en la pantalla'],
  pageUntil: ['Home again at', 'Wieder die Startseite um', 'Vuelve al inicio a las'],
  pageHome: ['Show the home page', 'Startseite zeigen', 'Mostrar el inicio'],
  pageAnother: [
    'Another page for a while',
    'Eine andere Seite für eine Weile',
    'Otra página durante un rato',
  ],
  pageAnotherHint: [
    'It gets no access to the panel unless its origin is in bridge.origins.',
    'Sie bekommt keinen Zugriff auf das Panel, außer ihr Ursprung steht in bridge.origins.',
    'No tiene acceso al panel, salvo que su origen esté en bridge.origins.',
  ],
  pageSeconds: [
    'Seconds, then home again',
    'Sekunden, dann wieder die Startseite',
    'Segundos y vuelta al inicio',
  ],
  pageShow: ['Show', 'Zeigen', 'Mostrar'],
  pagesTitle: ['Home page and slideshow', 'Startseite und Diaschau', 'Inicio y pase de páginas'],
  pagesHint: [
    'Pages with seconds follow each other by themselves; a touch holds the one that is there for a minute.',
    'Seiten mit Sekunden folgen von selbst aufeinander; eine Berührung hält die gezeigte eine Minute lang fest.',
    'Las páginas con segundos se suceden solas; un toque retiene la actual durante un minuto.',
  ],
  moveUp: ['Move up', 'Nach oben', 'Subir'],
  pagesGiven: ['Page options', 'Optionen der Seiten', 'Opciones de las páginas'],

  // Console
  console: ['Page console', 'Konsole der Seite', 'Consola de la página'],
  stack: ['Stack', 'Aufrufe', 'Pila'],
  evaluate: [
    'Run JavaScript in the page',
    'JavaScript in der Seite ausführen',
    'Ejecutar JavaScript en la página',
  ],
  expression: ['Expression', 'Ausdruck', 'Expresión'],
} satisfies WordsFor;

/** What its commands do. */
export const kioskCommandWords = {
  'page.above': ['Say what covers the page', 'Sagen, was die Seite verdeckt', 'Decir qué cubre la página'],
  'setup.find': ['Look for Home Assistant', 'Nach Home Assistant suchen', 'Buscar Home Assistant'],
  'setup.probe': [
    'See what is at an address',
    'Nachsehen, was unter einer Adresse ist',
    'Ver qué hay en una dirección',
  ],
  'page.state': ['Read the state of the page', 'Den Zustand der Seite lesen', 'Leer el estado de la página'],
  'page.show': ['Show another page', 'Eine andere Seite zeigen', 'Mostrar otra página'],
  'page.home': ['Go back to the home page', 'Zur Startseite zurückkehren', 'Volver a la página de inicio'],
  'page.evaluate': [
    'Run a script in the page',
    'Ein Skript in der Seite ausführen',
    'Ejecutar un script en la página',
  ],
  'console.read': [
    'Read the console of the page',
    'Die Konsole der Seite lesen',
    'Leer la consola de la página',
  ],
  'kiosk.live': [
    'Watch the screen and touch it',
    'Den Bildschirm sehen und bedienen',
    'Ver y tocar la pantalla',
  ],
  'pin.state': ['Read whether there is a PIN', 'Lesen, ob es eine PIN gibt', 'Leer si hay un PIN'],
} satisfies WordsFor<
  keyof typeof pageCommands | keyof typeof liveCommands | 'pin.state' | 'setup.find' | 'setup.probe'
>;
