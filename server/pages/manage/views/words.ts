import type { WordsFor } from '../../../contract/device.ts';

/** The views in the menu: their names and their places. */
export const viewsMenu = {
  home: ['home', 10],
  hardware: ['devices', 10],
  lines: ['devices', 20],
  parts: ['devices', 50],
  broker: ['connections', 20],
  system: ['system', 10],
  settings: ['system', 50],
  api: ['system', 60, 'developer'],
};

/** What the views of the shell say. */
export const viewsWords = {
  // Titles
  home: ['Home', 'Start', 'Inicio'],
  hardware: ['In and outputs', 'Ein- und Ausgänge', 'Entradas y salidas'],
  lines: ['Serial and network', 'Seriell und Netzwerk', 'Serie y red'],
  system: ['This panel', 'Dieses Panel', 'Este panel'],
  settings: ['Advanced', 'Erweitert', 'Avanzado'],
  api: ['API', 'API', 'API'],

  // Home
  panel: ['Panel', 'Panel', 'Panel'],
  toRemote: [
    'What the panel shows now. Opens the remote control',
    'Was das Panel gerade zeigt. Öffnet die Fernsteuerung',
    'Lo que el panel muestra ahora. Abre el control remoto',
  ],
  showing_shown: ['Showing {page}', 'Zeigt {page}', 'Muestra {page}'],
  showing_loading: ['Loading {page}', 'Lädt {page}', 'Carga {page}'],
  showing_failed: [
    'The page failed: {page}',
    'Die Seite ist fehlgeschlagen: {page}',
    'La página falló: {page}',
  ],
  showing_blank: [
    'The page shows nothing: {page}',
    'Die Seite zeigt nichts: {page}',
    'La página no muestra nada: {page}',
  ],
  showing_waiting: [
    'Waiting for the server of {page}',
    'Wartet auf den Server von {page}',
    'Espera al servidor de {page}',
  ],
  showsNoPage: [
    'This panel shows no page.',
    'Dieses Panel zeigt keine Seite.',
    'Este panel no muestra ninguna página.',
  ],
  above_approval: [
    'A question is on the screen',
    'Auf dem Bildschirm steht eine Frage',
    'Hay una pregunta en la pantalla',
  ],
  above_call: [
    'A call is on the screen',
    'Auf dem Bildschirm ist ein Anruf',
    'Hay una llamada en la pantalla',
  ],
  above_message: [
    'A message is on the screen',
    'Auf dem Bildschirm ist eine Mitteilung',
    'Hay un mensaje en la pantalla',
  ],
  above_dialog: ['The page shows an alert', 'Die Seite zeigt einen Hinweis', 'La página muestra un aviso'],
  above_saver: [
    'The saver covers the page',
    'Der Bildschirmschoner verdeckt die Seite',
    'El salvapantallas cubre la página',
  ],
  above_settings: [
    'Settings are open on the panel',
    'Am Panel sind die Einstellungen offen',
    'Los ajustes están abiertos en el panel',
  ],
  quickPage: ['Show page…', 'Seite zeigen …', 'Mostrar página…'],
  quickMessage: ['Send message', 'Mitteilung senden', 'Enviar mensaje'],
  quickInvite: ['Invite someone', 'Jemanden einladen', 'Invitar a alguien'],
  quickRestart: ['Restart…', 'Neu starten …', 'Reiniciar…'],
  screenOff: ['Screen off', 'Bildschirm aus', 'Apagar pantalla'],
  screenOn: ['Screen on', 'Bildschirm an', 'Encender pantalla'],
  attention: ['Needs attention', 'Braucht Aufmerksamkeit', 'Requiere atención'],
  attentionNone: ['Everything is fine.', 'Alles in Ordnung.', 'Todo está bien.'],
  pageHasErrors: [
    'Errors of the page since it was loaded: {count}',
    'Fehler der Seite seit dem Laden: {count}',
    'Errores de la página desde que se cargó: {count}',
  ],
  changesWait: [
    'Changes that apply after a restart: {count}',
    'Änderungen, die nach einem Neustart gelten: {count}',
    'Cambios que se aplican tras reiniciar: {count}',
  ],
  updateThere: [
    'Version {version} is available',
    'Version {version} ist verfügbar',
    'La versión {version} está disponible',
  ],
  partsAbsent: ['Missing parts: {count}', 'Fehlende Komponenten: {count}', 'Componentes que faltan: {count}'],
  boardSimulated: [
    'The board is simulated: nothing moves outside',
    'Die Platine ist simuliert: Draußen bewegt sich nichts',
    'La placa está simulada: fuera no se mueve nada',
  ],
  notMeasured: ['not measured', 'nicht gemessen', 'sin medir'],
  addressOnly: [
    'Open this address in a browser of the same network.',
    'Diese Adresse in einem Browser im selben Netzwerk öffnen.',
    'Abra esta dirección en un navegador de la misma red.',
  ],
  showSignIn: ['Sign in a phone', 'Telefon anmelden', 'Conectar un teléfono'],
  board: ['Board', 'Platine', 'Placa'],
  browser: ['Page shown by', 'Seite gezeigt von', 'Página mostrada por'],
  addressHint: [
    'Scan the code to sign a phone in. It is good for 10 minutes.',
    'Den Code scannen, um ein Telefon anzumelden. Er gilt 10 Minuten.',
    'Escanee el código para conectar un teléfono. Vale 10 minutos.',
  ],
  recoveries: [
    'Recoveries since the start',
    'Wiederherstellungen seit dem Start',
    'Recuperaciones desde el inicio',
  ],
  versionWord: ['Version', 'Version', 'Versión'],
  graphics: ['Graphics', 'Grafik', 'Gráficos'],
  graphicsPages: ['Pages', 'Seiten', 'Páginas'],
  graphicsVideo: ['Videos', 'Videos', 'Vídeos'],
  graphics_hardware: ['by the graphics processor', 'vom Grafikprozessor', 'por el procesador gráfico'],
  graphics_software: ['by the main processor', 'vom Hauptprozessor', 'por el procesador principal'],
  graphics_off: ['not available', 'nicht verfügbar', 'no disponible'],

  // Hardware
  parts: ['All parts', 'Alle Komponenten', 'Todos los componentes'],
  part_is_real: ['Real', 'Echt', 'Real'],
  part_is_simulated: ['Simulated', 'Simuliert', 'Simulado'],
  part_is_absent: ['Missing', 'Fehlt', 'Falta'],
  part_kiosk: ['Page on the screen', 'Seite auf dem Bildschirm', 'Página en la pantalla'],
  noOutputs: [
    'This board has no inputs, relays or lights.',
    'Diese Platine hat weder Eingänge noch Relais oder Lichter.',
    'Esta placa no tiene entradas, relés ni luces.',
  ],
  noReason: ['the board has none', 'die Platine hat keines', 'la placa no lo tiene'],

  // Settings
  savedCleared: [
    'Saved. Cleared, as it would now go to another server: {keys}. Enter it again.',
    'Gespeichert. Gelöscht, weil es jetzt an einen anderen Server ginge: {keys}. Bitte neu eingeben.',
    'Guardado. Borrado, porque ahora iría a otro servidor: {keys}. Introdúzcalo de nuevo.',
  ],
  lockedSetting: [
    "at the panel, or with the owner's token",
    'am Panel oder mit dem Token des Eigentümers',
    'en el panel, o con el token del propietario',
  ],
  secretSet: ['set', 'gesetzt', 'definido'],
  secretNone: ['not set', 'nicht gesetzt', 'sin definir'],
  mqtt_off: [
    'Not connected: no broker is set.',
    'Nicht verbunden: Es ist kein Broker eingestellt.',
    'Sin conexión: no hay ningún bróker.',
  ],
  mqtt_connecting: [
    'Connecting to the broker as {id}.',
    'Verbindet sich mit dem Broker als {id}.',
    'Conectando con el bróker como {id}.',
  ],
  mqtt_connected: [
    'Connected to the broker as {id}.',
    'Mit dem Broker verbunden als {id}.',
    'Conectado al bróker como {id}.',
  ],
  never: ['never', 'nie', 'nunca'],
  saver_clock: ['Clock', 'Uhr', 'Reloj'],
  saver_black: ['Black', 'Schwarz', 'Negro'],
  saver_photos: ['Photos', 'Fotos', 'Fotos'],
  saver_address: ['A page…', 'Eine Seite…', 'Una página…'],
  searchSettings: ['Search settings', 'Einstellungen suchen', 'Buscar ajustes'],
  changedOnly: ['Only what was changed', 'Nur Geändertes', 'Solo lo cambiado'],
  noneFound: ['No setting fits.', 'Keine Einstellung passt.', 'Ningún ajuste coincide.'],
  resetToDefault: ['Back to default', 'Zurücksetzen', 'Restablecer'],
  groups: ['Groups of settings', 'Gruppen von Einstellungen', 'Grupos de ajustes'],
  restartKey: ['from the next start', 'ab dem nächsten Start', 'desde el próximo inicio'],
  purpose_panel: ['This panel', 'Dieses Panel', 'Este panel'],
  purpose_show: ['What it shows', 'Was es zeigt', 'Lo que muestra'],
  purpose_recovery: ['Recovery', 'Wiederherstellung', 'Recuperación'],
  purpose_rights: ['What pages may do', 'Was Seiten dürfen', 'Lo que pueden las páginas'],
  purpose_reach: ['Network access', 'Netzwerkzugriff', 'Acceso de red'],
  purpose_cameras: ['Cameras', 'Kameras', 'Cámaras'],
  purpose_intercom: ['Intercom', 'Sprechanlage', 'Portero'],
  purpose_service: ['For technicians', 'Für Techniker', 'Para técnicos'],

  nothingSaved: ['Nothing can be saved', 'Nichts kann gespeichert werden', 'No se puede guardar nada'],
  // Home Assistant and MQTT
  broker: ['Home Assistant & MQTT', 'Home Assistant & MQTT', 'Home Assistant y MQTT'],
  brokerSettings: ['Connection to the broker', 'Verbindung zum Broker', 'Conexión con el bróker'],
  brokerEntities: [
    'Entities in Home Assistant',
    'Entitäten in Home Assistant',
    'Entidades en Home Assistant',
  ],
  brokerNoDiscovery: ['none', 'keine', 'ninguna'],
  brokerGroups: ['Groups', 'Gruppen', 'Grupos'],
  brokerTest: ['Test', 'Testen', 'Probar'],
  brokerTesting: ['Waiting for the broker…', 'Wartet auf den Broker …', 'Esperando al bróker…'],
  brokerWorks: [
    'It works: the broker answers.',
    'Funktioniert: Der Broker antwortet.',
    'Funciona: el bróker responde.',
  ],
  brokerHint: [
    'In Home Assistant the panel is one device, under Settings, Devices & services, MQTT.',
    'In Home Assistant ist das Panel ein Gerät unter Einstellungen, Geräte & Dienste, MQTT.',
    'En Home Assistant el panel es un dispositivo, en Ajustes, Dispositivos y servicios, MQTT.',
  ],

  // What is off
  onAfterRestart: [
    'It is on after a restart.',
    'Es ist nach einem Neustart an.',
    'Estará activo tras reiniciar.',
  ],
  restartNow: ['Restart now', 'Jetzt neu starten', 'Reiniciar ahora'],

  // Settings that were taken back
  undone: ['Settings were undone', 'Rückgängig gemachte Einstellungen', 'Ajustes deshechos'],
  undoneHint: [
    'The panel could not start or show a picture with them. Set them anew to try them again.',
    'Mit ihnen konnte das Panel nicht starten oder nichts zeigen. Wer sie neu setzt, probiert sie erneut.',
    'El panel no pudo iniciarse ni mostrar imagen con ellos. Al fijarlos de nuevo se prueban otra vez.',
  ],

  // System
  developer: ['Developer mode', 'Entwicklermodus', 'Modo de desarrollo'],
  developerHint: [
    'In this browser: shows keys and ids, how programs make each call, the API, and the command line.',
    'In diesem Browser: zeigt Schlüssel und IDs, die Aufrufe für Programme, die API und die Befehlszeile.',
    'En este navegador: muestra claves e identificadores, las llamadas para programas, la API y la línea de órdenes.',
  ],
  actions: ['Restart', 'Neu starten', 'Reiniciar'],
  systemSettings: [
    'Updates, language and recovery',
    'Updates, Sprache und Wiederherstellung',
    'Actualización, idioma y recuperación',
  ],
  about: ['About', 'Über', 'Acerca de'],
  health: ['Health', 'Zustand', 'Estado'],
  uptime: ['Machine up for', 'Maschine läuft seit', 'Máquina en marcha desde hace'],
  serviceUptime: ['Service up for', 'Dienst läuft seit', 'Servicio en marcha desde hace'],
  load: ['Load', 'Last', 'Carga'],
  temperature: ['Temperature', 'Temperatur', 'Temperatura'],
  memoryUsed: ['Memory used', 'Speicher belegt', 'Memoria usada'],
  memoryService: ['Memory of the service', 'Speicher des Dienstes', 'Memoria del servicio'],
  memoryBrowser: ['Memory of the browser', 'Speicher des Browsers', 'Memoria del navegador'],
  diskFree: ['Disk free', 'Platte frei', 'Disco libre'],
  licences: ['Licences', 'Lizenzen', 'Licencias'],
  licencesHint: [
    'Faceplate is free software under the MIT licence. The Debian package lists what it holds of others in /usr/share/doc/faceplate/copyright.',
    'Faceplate ist freie Software unter der MIT-Lizenz. Das Debian-Paket nennt in /usr/share/doc/faceplate/copyright, was es von anderen enthält.',
    'Faceplate es software libre con licencia MIT. El paquete de Debian enumera en /usr/share/doc/faceplate/copyright lo que contiene de otros.',
  ],
  restart: ['Restart service', 'Dienst neu starten', 'Reiniciar el servicio'],
  reloadDo: ['Reload', 'Neu laden', 'Recargar'],
  restartDo: ['Restart', 'Neu starten', 'Reiniciar'],
  about_reload: [
    'Loads the page on the screen again.',
    'Lädt die Seite auf dem Bildschirm neu.',
    'Vuelve a cargar la página de la pantalla.',
  ],
  about_restart: [
    'Starts Faceplate again. The page comes back within seconds.',
    'Startet Faceplate neu. Die Seite ist nach Sekunden wieder da.',
    'Reinicia Faceplate. La página vuelve en unos segundos.',
  ],
  about_reboot: [
    'Starts the whole device again. The screen is dark for a minute or two.',
    'Startet das ganze Gerät neu. Der Bildschirm ist ein bis zwei Minuten dunkel.',
    'Reinicia todo el dispositivo. La pantalla queda oscura uno o dos minutos.',
  ],
  restarting: ['The service restarts.', 'Der Dienst startet neu.', 'El servicio se reinicia.'],
  factoryReset: ['Factory reset', 'Auf Werkseinstellungen zurücksetzen', 'Restablecer valores de fábrica'],
  factoryHint: [
    'Removes settings, projects, tokens, PIN and browser data.',
    'Entfernt Einstellungen, Projekte, Tokens, PIN und Browserdaten.',
    'Elimina ajustes, proyectos, tokens, PIN y datos del navegador.',
  ],
  factoryType: ['Type {name} to confirm', 'Zur Bestätigung {name} eingeben', 'Escriba {name} para confirmar'],
  factoryDo: ['Reset everything', 'Alles zurücksetzen', 'Restablecer todo'],
  factoryDone: ['The panel starts anew.', 'Das Panel beginnt von vorn.', 'El panel empieza de nuevo.'],

  // API
  hoursAgo: ['{hours} h ago', 'vor {hours} h', 'hace {hours} h'],
  nowWord: ['now', 'jetzt', 'ahora'],
  apiVariant: ['One of', 'Eines von', 'Uno de'],
  apiExample: ['Example of an answer', 'Beispiel einer Antwort', 'Ejemplo de respuesta'],
  apiElsewhere: [
    'It goes on, or belongs to no command: try it with a program.',
    'Es geht immer weiter oder gehört zu keinem Befehl: mit einem Programm ausprobieren.',
    'Continúa sin fin o no es de ninguna orden: pruébelo con un programa.',
  ],
  apiScope: ['needs the scope {scope}', 'braucht den Bereich {scope}', 'necesita el ámbito {scope}'],
} satisfies WordsFor;
