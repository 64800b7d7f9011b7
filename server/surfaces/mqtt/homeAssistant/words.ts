import type { Language } from '../../../contract/device.ts';

/** Names of the entities: English, German, Spanish. `#` stands for a number or a name. */
const words = {
  led: ['LED bar', 'LED-Leiste', 'Barra LED'],
  screen: ['Screen', 'Bildschirm', 'Pantalla'],
  relay: ['Relay #', 'Relais #', 'Relé #'],
  input: ['Input #', 'Eingang #', 'Entrada #'],
  edge: ['Input # edge', 'Flanke an Eingang #', 'Flanco de la entrada #'],
  namedEdge: ['# edge', 'Flanke an #', 'Flanco de #'],
  volume: ['Volume', 'Lautstärke', 'Volumen'],
  mute: ['Mute', 'Stumm', 'Silencio'],
  dnd: ['Do not disturb', 'Nicht stören', 'No molestar'],
  page: ['Page', 'Seite', 'Página'],
  project: ['Project', 'Projekt', 'Proyecto'],
  url: ['Address shown', 'Gezeigte Adresse', 'Dirección mostrada'],
  message: ['Message', 'Nachricht', 'Mensaje'],
  speak: ['Speech', 'Durchsage', 'Voz'],
  siren: ['Sound', 'Ton', 'Sonido'],
  reload: ['Reload page', 'Seite neu laden', 'Recargar la página'],
  home: ['Home page', 'Startseite', 'Página de inicio'],
  reboot: ['Restart panel', 'Panel neu starten', 'Reiniciar el panel'],
  door: ['Open #', '# öffnen', 'Abrir #'],
  ring: ['Doorbell', 'Türklingel', 'Timbre'],
  screenshot: ['Screenshot', 'Bildschirmfoto', 'Captura de pantalla'],
  idle: ['Idle state', 'Ruhezustand', 'Estado de reposo'],
  title: ['Page title', 'Seitentitel', 'Título de la página'],
  call: ['Call', 'Anruf', 'Llamada'],
  version: ['Version', 'Version', 'Versión'],
  load: ['Load', 'Auslastung', 'Carga'],
  memory: ['Memory used', 'Belegter Speicher', 'Memoria usada'],
  button: ['Button #', 'Taste #', 'Botón #'],
  scan: ['# scan', 'Scan an #', 'Lectura en #'],
  room_temperature: ['Room temperature', 'Raumtemperatur', 'Temperatura de la sala'],
  humidity: ['Humidity', 'Luftfeuchte', 'Humedad'],
  temperature: ['Temperature', 'Temperatur', 'Temperatura'],
  address: ['Address', 'Adresse', 'Dirección'],
  update: ['Version of the panel', 'Version des Panels', 'Versión del panel'],
  in_use: ['In use', 'In Benutzung', 'En uso'],
} as const satisfies Record<string, readonly [string, string, string]>;

const columns: readonly Language[] = ['en', 'de', 'es'];

/** One of the names above; `what` takes the place of `#`. */
export type Word = (name: keyof typeof words, what?: string | number) => string;

/** The names in a language. */
export function wordsIn(language: Language): Word {
  const column = columns.indexOf(language);
  return (name, what = '') => words[name][column]!.replace('#', () => String(what));
}
