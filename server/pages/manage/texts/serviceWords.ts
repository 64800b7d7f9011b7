/** What the views for technicians say: English, German, Spanish. */
export const serviceWords = {
  refresh: ['Read again', 'Neu lesen', 'Leer de nuevo'],
  yes: ['yes', 'ja', 'sí'],
  no: ['no', 'nein', 'no'],
  send: ['Send', 'Senden', 'Enviar'],
  text: ['Text', 'Text', 'Texto'],
  kind: ['Kind', 'Art', 'Tipo'],
  change: ['Change', 'Ändern', 'Cambiar'],
  password: ['Password', 'Passwort', 'Contraseña'],
  older: ['Older entries', 'Ältere Einträge', 'Entradas más antiguas'],

  waitsForYes: [
    'Waits for a yes at the panel, for 30 seconds.',
    'Wartet 30 Sekunden auf ein Ja am Panel.',
    'Espera 30 segundos un sí en el panel.',
  ],

  // Screen
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

  // Timeline
  timelineRange: ['Time range', 'Zeitraum', 'Intervalo'],
  range_minutes: ['Last 10 minutes', 'Letzte 10 Minuten', 'Últimos 10 minutos'],
  range_hour: ['Last hour', 'Letzte Stunde', 'Última hora'],
  range_day: ['Last 24 hours', 'Letzte 24 Stunden', 'Últimas 24 horas'],
  lane_commands: ['Commands', 'Befehle', 'Órdenes'],
  lane_page: ['Page', 'Seite', 'Página'],
  lane_pins: ['Pins', 'Pins', 'Pines'],
  timelineNone: [
    'Nothing happened in this time.',
    'In dieser Zeit ist nichts geschehen.',
    'No ha pasado nada en este tiempo.',
  ],
  edgesSince: [
    'The pins are known since the service began, {time}.',
    'Die Pins sind bekannt, seit der Dienst läuft, {time}.',
    'Los pines se conocen desde que empezó el servicio, {time}.',
  ],
  journalSince: [
    'The journal was read as far back as {time}.',
    'Das Journal wurde bis {time} zurück gelesen.',
    'El diario se leyó hasta {time}.',
  ],
  timelinePin: ['Pin', 'Pin', 'Pin'],
  timelineLevel: ['Level', 'Pegel', 'Nivel'],
  timelineBy: ['From', 'Ursprung', 'Origen'],
  timelineResult: ['Result', 'Ergebnis', 'Resultado'],
  timelineEdges: ['Changes that it stands for', 'Steht für so viele Wechsel', 'Cambios que representa'],
  edgeWritten: ['the panel', 'Panel', 'el panel'],
  edgeOutside: ['outside', 'außen', 'fuera'],

  // Backup
  backupSave: ['Save the panel', 'Panel sichern', 'Guardar el panel'],
  backupMade: ['The backup is made.', 'Die Sicherung ist fertig.', 'La copia está hecha.'],
  passphrase: ['Passphrase', 'Passphrase', 'Frase de paso'],
  passphraseHint: [
    'With one, secrets such as passwords are in it, encrypted. Only the owner may give one. Without it they are left out, and so are the queries of addresses.',
    'Mit ihr sind Geheimnisse wie Passwörter darin, verschlüsselt. Nur der Eigentümer darf sie angeben. Ohne sie fehlen die Geheimnisse und die Abfrageteile von Adressen.',
    'Con ella incluye secretos como contraseñas, cifrados. Solo el propietario puede darla. Sin ella se omiten, igual que las consultas de las direcciones.',
  ],
  passphraseNeeded: [
    'Needed where the backup holds secrets.',
    'Nötig, wenn die Sicherung Geheimnisse enthält.',
    'Necesaria si la copia contiene secretos.',
  ],
  withProjects: ['With the projects', 'Mit den Projekten', 'Con los proyectos'],
  restore: ['Restore a backup', 'Sicherung einspielen', 'Restaurar una copia'],
  restoreHint: [
    'What the backup holds replaces what is there: all of it, or nothing.',
    'Was die Sicherung enthält, ersetzt das Vorhandene: alles oder nichts.',
    'Lo que contiene la copia sustituye lo que hay: todo o nada.',
  ],
  restoreSure: [
    'Replace the settings and projects of this panel by those of the backup?',
    'Einstellungen und Projekte dieses Panels durch die der Sicherung ersetzen?',
    '¿Sustituir los ajustes y proyectos de este panel por los de la copia?',
  ],
  restoredWhat: ['Restored: {what}', 'Eingespielt: {what}', 'Restaurado: {what}'],
  restoreSkipped: ['Left alone: {keys}', 'Nicht angetastet: {keys}', 'Sin tocar: {keys}'],
  restoreCleared: [
    'Cleared, as they would go to another server: {keys}',
    'Gelöscht, weil sie an einen anderen Server gingen: {keys}',
    'Borrado, porque iría a otro servidor: {keys}',
  ],

  // Network and time
  interfaces: ['Connections', 'Verbindungen', 'Conexiones'],
  gateway: ['Router', 'Router', 'Router'],
  prefix: ['Length of the prefix', 'Präfixlänge', 'Longitud del prefijo'],
  networkAuto: ['Address from the network', 'Adresse vom Netz', 'Dirección de la red'],
  networkHint: [
    'The change holds for 60 seconds. Unless it is confirmed from the new address, everything is as before.',
    'Die Änderung gilt 60 Sekunden. Wird sie nicht von der neuen Adresse aus bestätigt, ist alles wie vorher.',
    'El cambio vale 60 segundos. Si no se confirma desde la nueva dirección, todo vuelve a ser como antes.',
  ],
  networkConfirm: [
    'The network was changed. In {seconds} s it is as before, unless you keep it.',
    'Das Netz wurde geändert. In {seconds} s ist es wie vorher, wenn Sie es nicht behalten.',
    'La red ha cambiado. En {seconds} s vuelve a ser como antes, si no la conserva.',
  ],
  networkKeep: ['Keep it', 'Behalten', 'Conservar'],
  networkKept: ['The change stays.', 'Die Änderung bleibt.', 'El cambio se conserva.'],
  wifi: ['Wi-Fi', 'WLAN', 'Wi-Fi'],
  noWifi: ['No network in reach.', 'Kein Netz in Reichweite.', 'Ninguna red al alcance.'],
  wifiActive: ['connected', 'verbunden', 'conectada'],
  wifiOpen: ['open', 'offen', 'abierta'],
  wifiJoined: ['Connected to "{name}".', 'Mit „{name}“ verbunden.', 'Conectado a «{name}».'],
  join: ['Join', 'Verbinden', 'Conectar'],
  clock: ['Time', 'Zeit', 'Hora'],
  clockNow: ['Clock of the panel', 'Uhr des Panels', 'Reloj del panel'],
  clockNtp: ['Set by the network (NTP)', 'Vom Netz gestellt (NTP)', 'Ajustado por la red (NTP)'],
  clockSynchronized: ['Set now', 'Zurzeit gestellt', 'Ajustado ahora'],
  timeZone: ['Time zone', 'Zeitzone', 'Zona horaria'],

  // API
  apiElsewhere: [
    'It goes on, or belongs to no command: try it with a program.',
    'Es geht immer weiter oder gehört zu keinem Befehl: mit einem Programm ausprobieren.',
    'Continúa sin fin o no es de ninguna orden: pruébelo con un programa.',
  ],
  apiScope: ['needs the scope {scope}', 'braucht den Bereich {scope}', 'necesita el ámbito {scope}'],
  apiParams: [
    'Params (path, query and body)',
    'Parameter (Pfad, Query und Body)',
    'Parámetros (ruta, query y cuerpo)',
  ],
  apiNoJson: ['This is no JSON object.', 'Das ist kein JSON-Objekt.', 'Esto no es un objeto JSON.'],
} as const satisfies Readonly<Record<string, readonly [string, string, string]>>;
