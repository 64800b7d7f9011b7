import type { WordsFor } from '../../../contract/device.ts';

/** What the frame and the kit say, and what several views say. */
export const shellWords = {
  // Frame
  language: ['Language', 'Sprache', 'Idioma'],
  close: ['Close', 'Schließen', 'Cerrar'],
  menu: ['Menu', 'Menü', 'Menú'],
  viewMissing: [
    'This part of the page could not be fetched.',
    'Dieser Teil der Seite ließ sich nicht laden.',
    'Esta parte de la página no se pudo cargar.',
  ],
  signOut: ['Sign out', 'Abmelden', 'Salir'],

  // Sign in
  signIn: ['Sign in', 'Anmelden', 'Entrar'],
  signInTitle: ['Sign in to this panel', 'An diesem Panel anmelden', 'Entrar en este panel'],
  signInHint: [
    'The panel shows its token behind the PIN, under Access. It stays in this browser until you sign out.',
    'Das Panel zeigt sein Token hinter der PIN unter Zugang. Es bleibt in diesem Browser, bis Sie sich abmelden.',
    'El panel muestra su token tras el PIN, en Acceso. Se guarda en este navegador hasta que salga.',
  ],
  signedOut: [
    'The panel no longer knows the token of this browser. Sign in again.',
    'Das Panel kennt das Token dieses Browsers nicht mehr. Bitte neu anmelden.',
    'El panel ya no conoce el token de este navegador. Vuelva a entrar.',
  ],
  pairTitle: ['With a pairing code', 'Mit einem Kopplungscode', 'Con un código de emparejamiento'],
  pairHint: [
    'The settings of the panel, behind the PIN, show a code under Access. Scanning its QR code brings you in at once.',
    'Die Einstellungen am Panel zeigen hinter der PIN unter Zugang einen Code. Wer den QR-Code scannt, ist sofort angemeldet.',
    'Los ajustes del panel, tras el PIN, muestran un código en Acceso. Al escanear su código QR entra directamente.',
  ],
  pairCode: ['Code of 8 digits', 'Code aus 8 Ziffern', 'Código de 8 cifras'],
  pair: ['Pair', 'Koppeln', 'Emparejar'],
  ownName: ['Name of this device', 'Name dieses Geräts', 'Nombre de este dispositivo'],
  ownNameHint: [
    'The panel lists it under this name.',
    'Unter diesem Namen führt das Panel es auf.',
    'El panel lo muestra con este nombre.',
  ],

  // PIN
  setPinTitle: ['Choose a PIN', 'PIN festlegen', 'Elija un PIN'],
  setPinHint: [
    '4 to 8 digits. Anyone who knows it can change everything on this panel.',
    '4 bis 8 Ziffern. Wer sie kennt, kann an diesem Panel alles ändern.',
    'De 4 a 8 cifras. Quien lo conozca puede cambiar todo en este panel.',
  ],
  repeatPin: ['Enter it once more', 'Noch einmal eingeben', 'Introdúzcalo otra vez'],
  pinsDiffer: [
    'The two entries differ. Try again.',
    'Die Eingaben stimmen nicht überein. Bitte noch einmal.',
    'Las dos entradas no coinciden. Inténtelo de nuevo.',
  ],
  unlockTitle: ['Enter the PIN', 'PIN eingeben', 'Introduzca el PIN'],
  unlockHint: [
    'The settings of this panel are locked.',
    'Die Einstellungen dieses Panels sind gesperrt.',
    'Los ajustes de este panel están bloqueados.',
  ],
  wrongPin: ['The PIN is wrong.', 'Die PIN ist falsch.', 'El PIN es incorrecto.'],
  waitPin: [
    'Too many wrong PINs. Try again in {seconds} s.',
    'Zu viele falsche PINs. Weiter in {seconds} s.',
    'Demasiados PIN incorrectos. Inténtelo en {seconds} s.',
  ],
  erase: ['Delete last digit', 'Letzte Ziffer löschen', 'Borrar la última cifra'],

  // Kit
  reload: ['Reload page', 'Seite neu laden', 'Recargar la página'],
  reloaded: ['The page is reloading.', 'Die Seite wird neu geladen.', 'La página se carga de nuevo.'],
  rebootSure: [
    'Restart the panel now? The page is dark for a minute or two.',
    'Panel jetzt neu starten? Der Bildschirm ist ein bis zwei Minuten dunkel.',
    '¿Reiniciar el panel ahora? La pantalla estará oscura uno o dos minutos.',
  ],
  rebooting: ['The panel restarts.', 'Das Panel startet neu.', 'El panel se reinicia.'],
  waitsForYes: [
    'Waits for a yes at the panel, for 30 seconds.',
    'Wartet 30 Sekunden auf ein Ja am Panel.',
    'Espera 30 segundos un sí en el panel.',
  ],
  cannot: ['This panel cannot do that:', 'Das kann dieses Panel nicht:', 'Este panel no puede hacerlo:'],
  mayNot: ['Your token does not allow it:', 'Ihr Token erlaubt es nicht:', 'Su token no lo permite:'],
  didNotWork: ['That did not work:', 'Das hat nicht geklappt:', 'No ha funcionado:'],
  copied: ['Copied.', 'Kopiert.', 'Copiado.'],
  notCopied: [
    'This browser does not let the page copy.',
    'Dieser Browser lässt die Seite nicht kopieren.',
    'Este navegador no deja copiar a la página.',
  ],
  inBrowser: [
    'Files come from a browser: open {url} on a computer or phone in the same network.',
    'Dateien kommen aus einem Browser: {url} auf einem Computer oder Telefon im selben Netz öffnen.',
    'Los archivos llegan desde un navegador: abra {url} en un ordenador o teléfono de la misma red.',
  ],
  pictureAt: ['Picture of {time}', 'Bild von {time}', 'Imagen de las {time}'],
  uploading: ['{part} % has arrived', '{part} % sind angekommen', 'Ha llegado el {part} %'],
  unpacking: ['Checking and unpacking…', 'Wird geprüft und entpackt …', 'Comprobando y descomprimiendo…'],
  codesAreTried: [
    'Somebody on the network tries pairing codes. Wrong ones let nobody in.',
    'Jemand im Netz probiert Kopplungscodes aus. Falsche lassen niemanden herein.',
    'Alguien en la red prueba códigos de emparejamiento. Los falsos no dejan entrar a nadie.',
  ],
  qrOf: ['QR code of {url}', 'QR-Code von {url}', 'Código QR de {url}'],
  chartOf: [
    '{name} over the last minutes, now {value}',
    '{name} in den letzten Minuten, jetzt {value}',
    '{name} en los últimos minutos, ahora {value}',
  ],

  // Editor of a setting
  useDefault: ['Use default', 'Standardwert', 'Valor por defecto'],
  listHint: [
    'Several values, separated by commas.',
    'Mehrere Werte mit Komma trennen.',
    'Varios valores separados por comas.',
  ],
  jsonHint: ['Written as JSON.', 'Als JSON geschrieben.', 'Escrito como JSON.'],
  secretHint: [
    'The current value is not shown; a new one replaces it completely.',
    'Der bisherige Wert wird nicht gezeigt; ein neuer ersetzt ihn ganz.',
    'El valor actual no se muestra; uno nuevo lo sustituye por completo.',
  ],
  makeSecret: ['Make a new one', 'Neues erzeugen', 'Crear uno nuevo'],
  copySecret: [
    'Write it down now: it is not shown again. Enter the same on all other panels.',
    'Jetzt aufschreiben: Es wird nicht noch einmal gezeigt. Auf allen anderen Panels dasselbe eingeben.',
    'Anótelo ahora: no se vuelve a mostrar. Escriba el mismo en todos los demás paneles.',
  ],

  // Feeds
  pause: ['Pause', 'Anhalten', 'Pausar'],
  goOn: ['Go on ({count} new)', 'Weiter ({count} neue)', 'Seguir ({count} nuevas)'],
  clear: ['Clear', 'Leeren', 'Vaciar'],
  copyAll: ['Copy all', 'Alles kopieren', 'Copiar todo'],
  newestLast: [
    'Entries, the newest last',
    'Einträge, die neuesten zuletzt',
    'Entradas, las más nuevas al final',
  ],
  streamBroke: [
    'The connection broke; it is tried again.',
    'Die Verbindung ist abgerissen; sie wird neu versucht.',
    'La conexión se cortó; se intenta de nuevo.',
  ],

  // The call beside each button
  callWord: ['How to call it', 'So wird es aufgerufen', 'Cómo se llama'],
  callOf: ['How to call {command}', 'So wird {command} aufgerufen', 'Cómo se llama a {command}'],
  callInPage: ['In the page of a project', 'In der Seite eines Projekts', 'En la página de un proyecto'],
  callNotInPage: [
    'Pages do not have {command}; programs call it over HTTP.',
    'Seiten haben {command} nicht; Programme rufen es über HTTP auf.',
    'Las páginas no tienen {command}; los programas lo llaman por HTTP.',
  ],
  callScope: [
    'The token needs the scope "{scope}".',
    'Das Token braucht das Recht „{scope}“.',
    'El token necesita el permiso «{scope}».',
  ],
  copyOf: ['Copy {name}', '{name} kopieren', 'Copiar {name}'],

  // What several views say
  ok: ['OK', 'OK', 'Aceptar'],
  cancel: ['Cancel', 'Abbrechen', 'Cancelar'],
  save: ['Save', 'Speichern', 'Guardar'],
  saved: ['Saved.', 'Gespeichert.', 'Guardado.'],
  failed: ['That did not work: {reason}', 'Das hat nicht geklappt: {reason}', 'No ha funcionado: {reason}'],
  address: ['Address', 'Adresse', 'Dirección'],
  hostName: ['Host name', 'Gerätename', 'Nombre del equipo'],
  port: ['Port', 'Port', 'Puerto'],
  none: ['none', 'keine', 'ninguna'],
  reboot: ['Restart panel', 'Panel neu starten', 'Reiniciar el panel'],
  token: ['Access token', 'Zugangstoken', 'Token de acceso'],
  pinHeld: [
    'The setting kiosk.pin defines the PIN.',
    'Die Einstellung kiosk.pin legt die PIN fest.',
    'El ajuste kiosk.pin fija el PIN.',
  ],
  remove: ['Remove', 'Entfernen', 'Eliminar'],
  done: ['Done.', 'Erledigt.', 'Hecho.'],
  version: ['Version {version}', 'Version {version}', 'Versión {version}'],
  restartNeeded: [
    'Takes effect after a restart of the panel: {keys}',
    'Gilt nach einem Neustart des Panels: {keys}',
    'Cuenta tras reiniciar el panel: {keys}',
  ],
  empty: ['empty', 'leer', 'vacío'],
  off: ['off', 'aus', 'no'],
  notJson: [
    'This is not valid JSON: {reason}',
    'Das ist kein gültiges JSON: {reason}',
    'Esto no es JSON válido: {reason}',
  ],
  on: ['on', 'ein', 'sí'],
  toSend: ['To send', 'Zu senden', 'Para enviar'],
  refresh: ['Read again', 'Neu lesen', 'Leer de nuevo'],
  send: ['Send', 'Senden', 'Enviar'],
  text: ['Text', 'Text', 'Texto'],
  clock: ['Time', 'Zeit', 'Hora'],
  loading: ['Loading…', 'Wird geladen …', 'Cargando…'],
  loadAgain: ['Load again', 'Neu laden', 'Cargar de nuevo'],
  copy: ['Copy', 'Kopieren', 'Copiar'],
  name: ['Name', 'Name', 'Nombre'],
  picture: ['What the panel shows now', 'Was das Panel gerade zeigt', 'Lo que el panel muestra ahora'],
  page: ['Page', 'Seite', 'Página'],
  page_shown: ['is shown', 'wird gezeigt', 'se muestra'],
  page_loading: ['is loading', 'lädt', 'se está cargando'],
  page_failed: ['has failed', 'ist gescheitert', 'ha fallado'],
  page_blank: ['shows nothing', 'zeigt nichts', 'no muestra nada'],
  page_waiting: ['is waiting for its server', 'wartet auf ihren Server', 'espera a su servidor'],
  pageAddress: ['Address', 'Adresse', 'Dirección'],
  pageErrors: ['Errors since it was loaded', 'Fehler seit dem Laden', 'Errores desde que se cargó'],
  defaultIs: ['Default: {value}', 'Standard: {value}', 'Predeterminado: {value}'],
  chooseFile: ['Choose a file', 'Datei auswählen', 'Elegir archivo'],
  install: ['Install', 'Installieren', 'Instalar'],
  filter: ['Filter', 'Filter', 'Filtro'],
  level: ['From level', 'Ab Stufe', 'Desde el nivel'],
  allLevels: ['everything', 'alles', 'todo'],
  noEntries: ['Nothing yet.', 'Noch nichts.', 'Nada todavía.'],
  live: ['live', 'live', 'en directo'],
  run: ['Run', 'Ausführen', 'Ejecutar'],
} satisfies WordsFor;
