import type { WordsFor } from '../../contract/device.ts';
import type { tokensCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const accessMenu = { people: ['people', 10] };

/** What the app says of it. */
export const accessWords = {
  // Owner
  people: ['People and devices', 'Personen und Geräte', 'Personas y dispositivos'],
  tokenHint: [
    'Programs send it with every call: "Authorization: Bearer <token>".',
    'Programme senden es bei jedem Aufruf: „Authorization: Bearer <Token>“.',
    'Los programas lo envían en cada llamada: «Authorization: Bearer <token>».',
  ],
  showToken: ['Show token', 'Token zeigen', 'Mostrar token'],
  hideToken: ['Hide token', 'Token verbergen', 'Ocultar token'],
  rotateToken: ['New token', 'Neues Token', 'Token nuevo'],
  rotateSure: [
    'Make a new token? Programs with the old one are refused at once.',
    'Neues Token erzeugen? Programme mit dem alten werden sofort abgewiesen.',
    '¿Crear un token nuevo? Los programas con el antiguo se rechazan de inmediato.',
  ],
  rotated: ['The new token is now valid.', 'Das neue Token gilt jetzt.', 'El token nuevo ya es válido.'],
  tokenHeld: [
    'A setting defines the token; change it there.',
    'Eine Einstellung legt das Token fest; nur dort lässt es sich ändern.',
    'Un ajuste fija el token; solo allí se puede cambiar.',
  ],
  pin: ['PIN of this page', 'PIN dieser Seite', 'PIN de esta página'],
  changePin: ['Change PIN', 'PIN ändern', 'Cambiar PIN'],
  pinChanged: ['The new PIN is now valid.', 'Die neue PIN gilt jetzt.', 'El PIN nuevo ya es válido.'],
  ownersToken: ["The owner's token", 'Token des Eigentümers', 'Token del propietario'],
  httpsTitle: ['HTTPS', 'HTTPS', 'HTTPS'],
  httpsTurnOn: ['Turn on HTTPS', 'HTTPS einschalten', 'Activar HTTPS'],
  permissionSettings: ['Permissions and secrets', 'Rechte und Geheimnisse', 'Permisos y secretos'],
  httpsOff: [
    'HTTPS is off: whoever is on the network can read along. With it, browsers ask once for the certificate of the panel.',
    'HTTPS ist aus: Wer im Netz ist, kann mitlesen. Mit HTTPS fragen Browser einmal nach dem Zertifikat des Panels.',
    'HTTPS está apagado: cualquiera en la red puede leer. Con él, los navegadores preguntan una vez por el certificado.',
  ],
  fingerprint: ['Fingerprint (SHA-256)', 'Fingerabdruck (SHA-256)', 'Huella (SHA-256)'],

  // Tokens
  tokens: ['Tokens', 'Tokens', 'Tokens'],
  tokensHint: [
    'Each program and person with a token of its own, which opens no more than it needs.',
    'Jedes Programm und jede Person mit eigenem Token, das nicht mehr öffnet als nötig.',
    'Cada programa y cada persona con su propio token, que no abre más de lo necesario.',
  ],
  newToken: ['New token', 'Neues Token', 'Token nuevo'],
  scopes: ['Permissions', 'Berechtigungen', 'Permisos'],
  tokenScopes: ['Whole areas', 'Ganze Bereiche', 'Áreas enteras'],
  tokenCommands: ['Single commands', 'Einzelne Befehle', 'Órdenes sueltas'],
  scope_view: ['see everything', 'alles sehen', 'verlo todo'],
  scope_control: ['operate hardware and page', 'Hardware und Seite bedienen', 'manejar hardware y página'],
  scope_manage: ['manage the panel', 'das Panel verwalten', 'administrar el panel'],
  scope_terminal: ['run commands and scripts', 'Befehle und Skripte ausführen', 'ejecutar órdenes y scripts'],
  scope_doors: ['open doors', 'Türen öffnen', 'abrir puertas'],
  expires: ['Ends on', 'Endet am', 'Termina el'],
  expiresNever: ['never ends', 'endet nie', 'no termina'],
  lastUsed: [
    'Last used {time} from {address}',
    'Zuletzt {time} von {address}',
    'Último uso {time} desde {address}',
  ],
  madeBy: ['Made {time} with "{name}"', 'Erzeugt {time} mit „{name}“', 'Creado {time} con «{name}»'],
  madeAtPanel: ['Made {time} at the panel', 'Erzeugt {time} am Panel', 'Creado {time} en el panel'],
  neverUsed: ['Never used', 'Nie benutzt', 'Nunca usado'],
  makeToken: ['Create token', 'Token erstellen', 'Crear token'],
  tokenOnce: [
    'Copy it now: it is not shown again.',
    'Jetzt kopieren: Es wird nicht noch einmal gezeigt.',
    'Cópielo ahora: no se vuelve a mostrar.',
  ],
  revoke: ['Revoke', 'Entziehen', 'Revocar'],
  revokeSure: [
    'Revoke "{name}", and what was made with it? Whoever uses them is refused at once.',
    '„{name}“ und alles, was damit erzeugt wurde, entziehen? Wer es benutzt, wird sofort abgewiesen.',
    '¿Revocar «{name}» y lo que se creó con él? Quien los use será rechazado enseguida.',
  ],
  revoked: ['It is revoked.', 'Es ist entzogen.', 'Está revocado.'],

  // Pairing
  pairing: ['Invite someone', 'Jemanden einladen', 'Invitar a alguien'],
  pairingHint: [
    'A phone that scans the code within 10 minutes is signed in. It works once.',
    'Ein Telefon, das den Code binnen 10 Minuten scannt, ist angemeldet. Er gilt einmal.',
    'Un teléfono que escanee el código en 10 minutos queda dentro. Vale una vez.',
  ],
  makeCode: ['Create code', 'Code erstellen', 'Crear código'],
  codeUntil: ['Good until {time}', 'Gilt bis {time}', 'Vale hasta {time}'],
} satisfies WordsFor;

/** What its commands do. */
export const accessCommandWords = {
  'token.list': ['List who has access', 'Zugänge auflisten', 'Listar los accesos'],
  'token.create': ['Give somebody access', 'Jemandem Zugang geben', 'Dar acceso a alguien'],
  'token.revoke': ['Take access away', 'Einen Zugang entziehen', 'Retirar un acceso'],
  'pairing.start': [
    'Make a code that gives access',
    'Einen Code für einen Zugang erzeugen',
    'Crear un código de acceso',
  ],
} satisfies WordsFor<Exclude<keyof typeof tokensCommands, 'pairing.finish'>>;
