import type { WordsFor } from '../../contract/device.ts';
import type { fleetCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const fleetMenu = { fleet: ['fleet', 10] };

/** What the app says of it. */
export const fleetWords = {
  // Panels
  fleet: ['Fleet', 'Flotte', 'Flota'],
  fleetOff: ['The other panels', 'Die anderen Panels', 'Los otros paneles'],
  fleetOffHint: [
    'This panel does not listen to the others. Over the broker it can list them, and update all of them.',
    'Dieses Panel hört den anderen nicht zu. Über den Broker kann es sie auflisten und alle aktualisieren.',
    'Este panel no escucha a los otros. A través del bróker puede verlos y actualizarlos todos.',
  ],
  fleetTurnOn: ['Listen to other panels', 'Anderen Panels zuhören', 'Escuchar a otros paneles'],
  fleetToBroker: ['Set up the broker first', 'Zuerst den Broker einrichten', 'Configure primero el bróker'],
  fleetSettings: ['Settings of the fleet', 'Einstellungen der Flotte', 'Ajustes de la flota'],
  fleetPanels: ['Panels', 'Panels', 'Paneles'],
  fleetCount: [
    '{all} heard, {online} online, {selected} chosen',
    '{all} gehört, {online} erreichbar, {selected} ausgewählt',
    '{all} oídos, {online} en línea, {selected} elegidos',
  ],
  fleetSearch: [
    'Search by name, id, version, project',
    'Suche nach Name, Id, Version, Projekt',
    'Buscar por nombre, id, versión, proyecto',
  ],
  fleetGroup: ['Group', 'Gruppe', 'Grupo'],
  fleetAllGroups: ['all', 'alle', 'todos'],
  fleetChoose: ['Choose all of these', 'Alle diese auswählen', 'Elegir todos estos'],
  fleetChooseNone: ['Choose none', 'Keines auswählen', 'No elegir ninguno'],
  fleetChooseOne: ['Choose {name}', '{name} auswählen', 'Elegir {name}'],
  fleetMore: [
    'And {count} more: search for them.',
    'Und {count} weitere: danach suchen.',
    'Y {count} más: búsquelos.',
  ],
  fleetPicturesHint: [
    'A browser gets the picture of another panel only from that panel: open it there.',
    'Ein Browser bekommt das Bild eines anderen Panels nur von diesem: dort öffnen.',
    'Un navegador recibe la imagen de otro panel solo de ese panel: ábralo allí.',
  ],
  fleetSince: ['since {time}', 'seit {time}', 'desde {time}'],
  fleetOnline: ['online', 'online', 'en línea'],
  fleetAway: ['offline', 'offline', 'sin conexión'],
  fleetThis: ['this panel', 'dieses Panel', 'este panel'],
  fleetOpen: ['Open', 'Öffnen', 'Abrir'],
  fleetDiffers: [
    '{what}: {own}, most of {group} have {most}',
    '{what}: {own}, die meisten in {group} haben {most}',
    '{what}: {own}, la mayoría de {group} tiene {most}',
  ],
  fleet_version: ['Version', 'Version', 'Versión'],
  fleet_project: ['Project', 'Projekt', 'Proyecto'],
  fleet_board: ['Board', 'Platine', 'Placa'],

  // Roll-outs
  rolloutNew: ['New roll-out', 'Neue Verteilung', 'Nueva distribución'],
  rolloutHint: [
    'The canaries go first. When one panel does not get well, no further one begins; nothing is undone.',
    'Die Vorläufer gehen voran. Wird ein Panel nicht gesund, beginnt kein weiteres; nichts wird zurückgenommen.',
    'Los pioneros van primero. Si un panel no queda bien, no empieza ningún otro; nada se deshace.',
  ],
  rolloutTo: ['To', 'An', 'A'],
  rolloutChosen: [
    'the chosen panels ({count})',
    'die ausgewählten Panels ({count})',
    'los elegidos ({count})',
  ],
  rolloutGroup: ['group {name}', 'Gruppe {name}', 'grupo {name}'],
  rolloutWhat: ['What', 'Was', 'Qué'],
  'rollout_projects.fetch': ['A project', 'Ein Projekt', 'Un proyecto'],
  'rollout_settings.change': ['Settings', 'Einstellungen', 'Ajustes'],
  'rollout_update.fetch': [
    'A version of Faceplate',
    'Eine Version von Faceplate',
    'Una versión de Faceplate',
  ],
  rollout_url: ['Address of the file', 'Adresse der Datei', 'Dirección del archivo'],
  rollout_sha256: ['SHA-256 of the file', 'SHA-256 der Datei', 'SHA-256 del archivo'],
  rollout_name: ['Name of the project', 'Name des Projekts', 'Nombre del proyecto'],
  rolloutAdd: ['Add a setting…', 'Einstellung hinzufügen …', 'Añadir un ajuste…'],
  rolloutSettingsHint: [
    'Names, addresses, PINs and passwords stay as they are on each panel.',
    'Namen, Adressen, PINs und Passwörter bleiben auf jedem Panel, wie sie sind.',
    'Los nombres, direcciones, PIN y contraseñas de cada panel no cambian.',
  ],
  rollout_canary: ['Canaries', 'Vorläufer', 'Pioneros'],
  rollout_parallel: ['Then at a time', 'Danach zugleich', 'Después a la vez'],
  rollout_healthyFor: [
    'Seconds to stay healthy',
    'Sekunden, die es gesund bleibt',
    'Segundos que debe seguir bien',
  ],
  rolloutBegin: ['Begin', 'Beginnen', 'Empezar'],
  rolloutCount: ['{count} panels', '{count} Panels', '{count} paneles'],
  rolloutSure: [
    'Begin the roll-out to {count} panels?',
    'Die Verteilung an {count} Panels beginnen?',
    '¿Empezar la distribución a {count} paneles?',
  ],
  rolloutBegun: ['The roll-out has begun.', 'Die Verteilung hat begonnen.', 'La distribución ha empezado.'],
  rollouts: ['Roll-outs', 'Verteilungen', 'Distribuciones'],
  rolloutNone: ['None yet.', 'Noch keine.', 'Ninguna todavía.'],
  rolloutBefore: ['The others', 'Die anderen', 'Las otras'],
  rolloutShow: ['Show', 'Zeigen', 'Mostrar'],
  rolloutCourse: ['Course', 'Verlauf', 'Curso'],
  rolloutState: ['State', 'Stand', 'Estado'],
  rolloutReason: ['Why', 'Warum', 'Por qué'],
  rolloutStartedAt: ['Begun', 'Begonnen', 'Empezada'],
  rolloutEndedAt: ['Ended', 'Beendet', 'Terminada'],
  rolloutEnded: [
    '{ended} of {all} have ended',
    '{ended} von {all} sind fertig',
    '{ended} de {all} terminados',
  ],
  rolloutStop: ['Stop', 'Anhalten', 'Detener'],
  rolloutStopSure: [
    'Stop the roll-out? Those under way end their proof; nothing is undone.',
    'Die Verteilung anhalten? Wer dabei ist, beweist sich noch; nichts wird zurückgenommen.',
    '¿Detener la distribución? Los que están en ello terminan su prueba; nada se deshace.',
  ],
  rolloutStopped: ['It is stopped.', 'Sie ist angehalten.', 'Está detenida.'],
  rolloutAgain: [
    'New one with the {count} that are left',
    'Neue mit den {count} übrigen',
    'Nueva con los {count} que faltan',
  ],
  rollout_running: ['running', 'läuft', 'en curso'],
  rollout_done: ['done', 'fertig', 'hecha'],
  rollout_stopped: ['stopped', 'angehalten', 'detenida'],
  rollout_waiting: ['Waiting', 'Wartet', 'En espera'],
  rollout_sent: ['Sent', 'Gesendet', 'Enviado'],
  rollout_proving: ['Testing', 'Wird geprüft', 'En prueba'],
  rollout_healthy: ['Healthy', 'Gesund', 'Bien'],
  rollout_failed: ['Failed', 'Gescheitert', 'Fallido'],
  rollout_offline: ['Was offline', 'War offline', 'Sin conexión'],

  // Settings for others
  profile: [
    'Settings of this panel for others',
    'Einstellungen dieses Panels für andere',
    'Ajustes de este panel para otros',
  ],
  profileHint: [
    'What differs from the default comes first. Secrets and what makes a panel itself are left out. To take those of another panel, open its own page.',
    'Was vom Standard abweicht, steht zuerst. Geheimnisse und was ein Panel ausmacht, fehlen. Für die eines anderen Panels dessen eigene Seite öffnen.',
    'Lo que difiere del valor por defecto va primero. Faltan los secretos y lo que distingue a un panel. Para los de otro panel, abra su propia página.',
  ],
  profileNone: [
    'All settings are as by default.',
    'Alle Einstellungen haben den Standardwert.',
    'Todos los ajustes tienen el valor por defecto.',
  ],
  profileOthers: ['By default: {count}', 'Mit Standardwert: {count}', 'Por defecto: {count}'],
  profileTake: [
    'Take {count} into the roll-out',
    '{count} in die Verteilung übernehmen',
    'Llevar {count} a la distribución',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const fleetCommandWords = {
  'fleet.list': ['List the other panels', 'Die anderen Panels auflisten', 'Listar los otros paneles'],
  'fleet.rollout': ['Change many panels', 'Viele Panels ändern', 'Cambiar muchos paneles'],
  'fleet.rollouts': [
    'List changes of many panels',
    'Änderungen vieler Panels auflisten',
    'Listar cambios de muchos paneles',
  ],
  'fleet.progress': [
    'Read the change of many panels',
    'Die Änderung vieler Panels lesen',
    'Leer el cambio de muchos paneles',
  ],
  'fleet.stop': [
    'Stop the change of many panels',
    'Die Änderung vieler Panels anhalten',
    'Detener el cambio de muchos paneles',
  ],
} satisfies WordsFor<keyof typeof fleetCommands>;
