import type { WordsFor } from '../../../contract/device.ts';

/** What the first set-up says, and the lock of the glass. */
export const setupWords = {
  setup: ['First set-up', 'Ersteinrichtung', 'Primera configuración'],
  setupGoesOn: [
    'The set-up is not finished.',
    'Die Einrichtung ist noch nicht fertig.',
    'La configuración no está terminada.',
  ],
  setupGoOn: ['Continue set-up', 'Einrichtung fortsetzen', 'Continuar'],
  stepOf: ['Step {step} of {count}', 'Schritt {step} von {count}', 'Paso {step} de {count}'],
  back: ['Back', 'Zurück', 'Atrás'],
  next: ['Next', 'Weiter', 'Siguiente'],
  later: ['Finish later', 'Später weiter', 'Seguir luego'],
  finish: ['Show the page', 'Seite anzeigen', 'Mostrar la página'],
  finishPhone: ['Done', 'Fertig', 'Listo'],

  step_language: ['Welcome', 'Willkommen', 'Bienvenido'],
  languageLead: [
    'A few steps, and this panel is ready. Choose your language.',
    'In wenigen Schritten ist dieses Panel bereit. Wählen Sie Ihre Sprache.',
    'En unos pasos este panel estará listo. Elija su idioma.',
  ],

  step_name: ['Where is this panel?', 'Wo ist dieses Panel?', '¿Dónde está este panel?'],
  nameHint: [
    'The name appears on your network and in Home Assistant.',
    'Der Name erscheint im Netzwerk und in Home Assistant.',
    'El nombre aparece en la red y en Home Assistant.',
  ],
  nameIdeas: ['Suggestions', 'Vorschläge', 'Sugerencias'],
  room_hall: ['Hall', 'Flur', 'Entrada'],
  room_kitchen: ['Kitchen', 'Küche', 'Cocina'],
  room_living: ['Living room', 'Wohnzimmer', 'Salón'],
  room_office: ['Office', 'Büro', 'Oficina'],
  room_bedroom: ['Bedroom', 'Schlafzimmer', 'Dormitorio'],
  room_meeting: ['Meeting room', 'Besprechungsraum', 'Sala de reuniones'],

  step_network: ['Network', 'Netzwerk', 'Red'],
  networkLead: [
    'The panel needs a network to show pages and to be managed.',
    'Das Panel braucht ein Netzwerk, um Seiten zu zeigen und verwaltet zu werden.',
    'El panel necesita una red para mostrar páginas y para gestionarlo.',
  ],
  networkSkip: ['Continue without a network', 'Ohne Netzwerk weiter', 'Continuar sin red'],
  networkSkipHint: [
    'Offline, the panel shows only what is stored on it.',
    'Ohne Netzwerk zeigt das Panel nur, was darauf gespeichert ist.',
    'Sin red, el panel solo muestra lo que tiene guardado.',
  ],
  networkCannot: [
    'The system of this panel manages its network. Address: {address}',
    'Das System dieses Panels verwaltet sein Netzwerk. Adresse: {address}',
    'El sistema de este panel gestiona su red. Dirección: {address}',
  ],
  kind_ethernet: ['Ethernet', 'Ethernet', 'Ethernet'],
  kind_wifi: ['Wi-Fi', 'WLAN', 'Wi-Fi'],
  net_connected: ['connected', 'verbunden', 'conectada'],
  net_connecting: ['connecting', 'wird verbunden', 'conectando'],
  net_disconnected: ['not connected', 'nicht verbunden', 'sin conexión'],
  net_unavailable: ['no cable, or switched off', 'kein Kabel oder ausgeschaltet', 'sin cable o apagada'],
  net_failed: ['failed', 'fehlgeschlagen', 'falló'],
  net_unmanaged: ['managed by the system', 'vom System verwaltet', 'gestionada por el sistema'],

  step_time: ['Time zone', 'Zeitzone', 'Zona horaria'],
  timeNow: ['Is it {time} now?', 'Ist es jetzt {time} Uhr?', '¿Son ahora las {time}?'],
  timeCannot: [
    'The system of this panel sets its clock.',
    'Das System dieses Panels stellt seine Uhr.',
    'El sistema de este panel ajusta su reloj.',
  ],
  zoneSearch: ['Search for a city', 'Stadt suchen', 'Buscar una ciudad'],
  zoneNone: ['No such city.', 'Diese Stadt ist nicht dabei.', 'Esa ciudad no está.'],

  step_pin: ['Security', 'Sicherheit', 'Seguridad'],
  setPin: ['Set PIN', 'PIN festlegen', 'Definir PIN'],
  pinThere: ['The PIN is set.', 'Die PIN ist festgelegt.', 'El PIN está definido.'],
  pinDigits: ['{count} digits entered', '{count} Ziffern eingegeben', '{count} cifras introducidas'],
  pinSkip: ['Skip for now', 'Vorerst überspringen', 'Omitir por ahora'],
  pinSkipHint: [
    'Without a PIN, anyone can choose one within 10 minutes after a restart.',
    'Ohne PIN kann in den 10 Minuten nach einem Neustart jeder eine festlegen.',
    'Sin PIN, cualquiera puede elegir uno en los 10 minutos tras un reinicio.',
  ],
  pinClosed: ['No PIN is set', 'Keine PIN festgelegt', 'No hay PIN'],
  pinClosedHint: [
    'A PIN can be chosen here only in the first 10 minutes after a start. Restart the panel and open the settings again.',
    'Eine PIN lässt sich hier nur in den ersten 10 Minuten nach dem Start festlegen. Starten Sie das Panel neu und öffnen Sie die Einstellungen noch einmal.',
    'Aquí solo se puede elegir un PIN en los primeros 10 minutos tras el arranque. Reinicie el panel y vuelva a abrir los ajustes.',
  ],
  pinClosedBrowser: [
    'Or choose one in a browser: {url}',
    'Oder legen Sie eine im Browser fest: {url}',
    'O elija uno en un navegador: {url}',
  ],

  step_show: ['What should it show?', 'Was soll es zeigen?', '¿Qué debe mostrar?'],
  showSearching: ['Looking for Home Assistant…', 'Home Assistant wird gesucht …', 'Buscando Home Assistant…'],
  showPage: ['Web page', 'Webseite', 'Página web'],
  showPageHint: [
    'A dashboard or any address in your network',
    'Ein Dashboard oder eine andere Adresse im Netzwerk',
    'Un panel de control o cualquier dirección de la red',
  ],
  showProject: ['Upload a project', 'Projekt hochladen', 'Subir un proyecto'],
  showProjectHint: [
    'From a phone or computer, in the next step',
    'Vom Telefon oder Computer, im nächsten Schritt',
    'Desde un teléfono u ordenador, en el paso siguiente',
  ],
  showProjectLater: ['Afterwards, under Content', 'Danach, unter Inhalt', 'Después, en Contenido'],
  showDemo: ['Demo', 'Demo', 'Demo'],
  showDemoHint: [
    'Try what the panel can do',
    'Ausprobieren, was das Panel kann',
    'Pruebe lo que puede el panel',
  ],
  showAddress: ['Address', 'Adresse', 'Dirección'],
  addressWanted: [
    'Enter a full address, e.g. http://homeassistant.local:8123',
    'Geben Sie eine vollständige Adresse ein, z. B. http://homeassistant.local:8123',
    'Escriba una dirección completa, p. ej. http://homeassistant.local:8123',
  ],
  addressAsked: ['Checking the address…', 'Adresse wird geprüft …', 'Comprobando la dirección…'],
  addressFound: ['Found: {title}', 'Gefunden: {title}', 'Encontrado: {title}'],
  addressSilent: [
    'There is no answer from {url}. Press Next again to use it anyway.',
    '{url} antwortet nicht. Mit „Weiter“ wird die Adresse trotzdem verwendet.',
    '{url} no responde. Pulse Siguiente otra vez para usarla igualmente.',
  ],

  step_phone: ['Connect your phone', 'Telefon verbinden', 'Conecte su teléfono'],
  phoneLead: [
    'Scan the code to manage this panel from your phone. The code is valid for 10 minutes.',
    'Scannen Sie den Code, um dieses Panel mit dem Telefon zu verwalten. Der Code gilt 10 Minuten.',
    'Escanee el código para gestionar este panel desde su teléfono. El código vale 10 minutos.',
  ],
  phoneProject: [
    'Then upload your .zip or .ch5z file under Projects.',
    'Laden Sie dann Ihre .zip- oder .ch5z-Datei unter Projekte hoch.',
    'Después suba su archivo .zip o .ch5z en Proyectos.',
  ],
  phoneSkip: ['Skip', 'Überspringen', 'Omitir'],
  phoneSkipHint: [
    'You can connect a phone at any time from the settings.',
    'Ein Telefon lässt sich jederzeit in den Einstellungen verbinden.',
    'Puede conectar un teléfono en cualquier momento desde los ajustes.',
  ],
  pairedNow: ['“{name}” is connected', '„{name}“ ist verbunden', '«{name}» está conectado'],
  pairAnother: ['Connect another', 'Weiteres verbinden', 'Conectar otro'],
  projectArrived: ['“{name}” has arrived.', '„{name}“ ist angekommen.', '«{name}» ha llegado.'],
  noNetworkYet: [
    'The panel has no network yet, so no phone can reach it.',
    'Das Panel hat noch kein Netzwerk, daher erreicht es kein Telefon.',
    'El panel aún no tiene red, así que ningún teléfono llega a él.',
  ],

  step_done: ['{name} is ready', '{name} ist bereit', '{name} está listo'],
  doneSettings: ['Open the settings', 'Einstellungen öffnen', 'Abrir los ajustes'],
  doneManage: ['Manage it in a browser', 'Im Browser verwalten', 'Gestionar en un navegador'],
  doneNight: ['Dim it at night', 'Nachts abdunkeln', 'Atenuar de noche'],
  doneNightHint: [
    'Brightness, idle time and schedule are under Screen.',
    'Helligkeit, Ruhezeit und Zeitplan finden Sie unter Bildschirm.',
    'Brillo, reposo y horario están en Pantalla.',
  ],
  fiveFingers: [
    'Hold five fingers on the screen for five seconds',
    'Fünf Finger fünf Sekunden lang auf den Bildschirm legen',
    'Mantenga cinco dedos en la pantalla cinco segundos',
  ],
  fiveFingersHint: [
    'This opens the settings of the panel, from any page.',
    'So öffnen sich die Einstellungen des Panels, auf jeder Seite.',
    'Así se abren los ajustes del panel, desde cualquier página.',
  ],
} satisfies WordsFor;
