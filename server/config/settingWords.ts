import type { SettingWords } from '../contract/device.ts';
import { pageSettingWords } from './pageSettingWords.ts';

/** What the settings of the intercom are called, and what they are for. */
const sipSettingWords = {
  'sip.enabled': {
    name: ['Intercom', 'Sprechanlage', 'Portero'],
    de: 'Ob das Panel als Sprechstelle arbeitet.',
    es: 'Si el panel funciona como intercomunicador.',
  },
  'sip.port': {
    name: ['Port of SIP', 'Port von SIP', 'Puerto de SIP'],
    de: 'SIP-Port für UDP und TCP; TLS hat den nächsten. Bei 0 wird ein freier gewählt.',
    es: 'Puerto SIP para UDP y TCP; TLS usa el siguiente. Con 0 se elige uno libre.',
  },
  'sip.host': {
    name: ['Address for calls', 'Adresse für Anrufe', 'Dirección para llamadas'],
    de: 'Adresse, auf der SIP und RTP ankommen; ohne Angabe alle.',
    es: 'Dirección en la que escuchan SIP y RTP; si falta, todas.',
  },
  'sip.deviceName': {
    name: ['Name that others see', 'Name für andere', 'Nombre que ven los demás'],
    de: 'Name, unter dem andere das Panel sehen; ohne Angabe device.name.',
    es: 'Nombre con el que los demás ven el panel; si falta, device.name.',
  },
  'sip.registrar': {
    name: ['Telephone system', 'Telefonanlage', 'Centralita'],
    de: 'Telefonanlage, an der sich das Panel anmeldet: Name oder Adresse, auf Wunsch mit Port.',
    es: 'Centralita en la que se registra el panel: nombre o dirección, con puerto si hace falta.',
  },
  'sip.username': {
    name: ['Extension', 'Nebenstelle', 'Extensión'],
    de: 'Nebenstelle des Panels, auch ohne Telefonanlage; ohne Angabe panel.',
    es: 'Extensión del panel, también sin centralita; si falta, panel.',
  },
  'sip.password': {
    name: ['Password of the extension', 'Passwort der Nebenstelle', 'Contraseña de la extensión'],
    de: 'Passwort an der Telefonanlage; geht an niemand anderen und nie im Klartext.',
    es: 'Contraseña de la centralita; no se envía a nadie más y nunca sin cifrar.',
  },
  'sip.transport': {
    name: ['Transport to the telephone system', 'Transport zur Telefonanlage', 'Transporte a la centralita'],
    de: 'Weg zur Telefonanlage, ohne eine zu allen anderen: udp, tcp oder tls. Mit tls nimmt das Panel auch TLS-Verbindungen an.',
    es: 'Transporte hasta la centralita y, si no hay, hasta todos los demás: udp, tcp o tls. Con tls el panel también acepta conexiones TLS.',
  },
  'sip.srtpOverUdp': {
    name: ['Encrypted sound without TLS', 'Verschlüsselter Ton ohne TLS', 'Sonido cifrado sin TLS'],
    de: 'Wessen verschlüsselter Ton (RTP/SAVP) ohne TLS angenommen wird, wo andere im Netzwerk seine Schlüssel lesen können: off, known (sip.allow, sip.doors, die Telefonanlage) oder any.',
    es: 'De quién se acepta sonido cifrado (RTP/SAVP) sin TLS, donde otros en la red pueden leer sus claves: off, known (sip.allow, sip.doors, la centralita) o any.',
  },
  'sip.allow': {
    name: ['Who may call', 'Wer anrufen darf', 'Quién puede llamar'],
    de: 'Adressen oder Netzwerke wie 192.168.1.0/24, die anrufen dürfen; mit sip.autoAnswer wird ihnen von selbst geantwortet.',
    es: 'Direcciones o redes, como 192.168.1.0/24, que pueden llamar; con sip.autoAnswer se les contesta automáticamente.',
  },
  'sip.allowLan': {
    name: [
      'Everyone on the network may call',
      'Alle im Netzwerk dürfen anrufen',
      'Todos en la red pueden llamar',
    ],
    de: 'Ob alle in den Netzwerken, an denen das Panel hängt, anrufen dürfen.',
    es: 'Si pueden llamar todos los equipos de las redes a las que está conectado el panel.',
  },
  'sip.autoAnswer': {
    name: ['Answer automatically', 'Automatisch annehmen', 'Contestar automáticamente'],
    de: 'Ob Anrufe aus sip.allow ohne Berührung angenommen werden, mit einem Ton und ohne Kamera.',
    es: 'Si las llamadas de sip.allow se contestan sin tocar la pantalla, con un tono y sin cámara.',
  },
  'sip.discovery': {
    name: ['Find other panels', 'Andere Panels finden', 'Encontrar otros paneles'],
    de: 'Andere Panels über mDNS finden und von ihnen gefunden werden.',
    es: 'Encontrar otros paneles por mDNS y dejarse encontrar.',
  },
  'sip.discoveryInterface': {
    name: ['Look on this interface', 'An dieser Schnittstelle suchen', 'Buscar en esta interfaz'],
    de: 'Adresse der Schnittstelle, an der nach Panels gesucht wird; ohne Angabe alle.',
    es: 'Dirección de la interfaz en la que se buscan paneles; si falta, todas.',
  },
  'sip.doors': {
    name: ['Doors', 'Türen', 'Puertas'],
    de: 'Türen, die sich vom Panel aus öffnen lassen: mit Tönen oder über eine Adresse.',
    es: 'Puertas que se abren desde el panel: con tonos o mediante una dirección.',
  },
  'sip.registrarServer': {
    name: [
      'Door stations register here',
      'Türstationen melden sich hier an',
      'Las estaciones se registran aquí',
    ],
    de: 'Ob sich Türstationen am Panel selbst anmelden können.',
    es: 'Si los videoporteros pueden registrarse en el propio panel.',
  },
  'sip.registrarAccounts': {
    name: ['Accounts of door stations', 'Konten der Türstationen', 'Cuentas de las estaciones'],
    de: 'Wer sich dort anmelden darf, als JSON-Liste von {username, password}.',
    es: 'Quién puede registrarse en él, como lista JSON de {username, password}.',
  },
  'sip.panelSecret': {
    name: ['Intercom shared key', 'Gemeinsamer Schlüssel der Sprechanlage', 'Clave compartida del portero'],
    de: 'Gemeinsamer Schlüssel der Panels eines Hauses, mindestens 16 Zeichen: Panels mit ihm dürfen einander anrufen und zu allen sprechen.',
    es: 'Clave común de los paneles de una casa, de 16 caracteres o más: los paneles que la tienen pueden llamarse y hablar a todos.',
  },
} satisfies Readonly<Record<string, SettingWords>>;

/** What each setting is called, and what it is for. */
export const settingWords: Readonly<Record<string, SettingWords>> = {
  dataDir: {
    name: ['Data folder', 'Datenordner', 'Carpeta de datos'],
    de: 'Ordner für Token, Zustandsdateien und settings.json. Nur über die Umgebung oder die Befehlszeile.',
    es: 'Carpeta del token, de los archivos de estado y de settings.json. Solo por el entorno o la línea de órdenes.',
  },
  'device.name': {
    name: ['Name of the panel', 'Name des Panels', 'Nombre del panel'],
    de: 'Name des Panels, für Menschen und im Netzwerk.',
    es: 'Nombre del panel, para las personas y en la red.',
  },
  'device.language': {
    name: ['Language of the panel', 'Sprache des Panels', 'Idioma del panel'],
    de: 'Sprache dessen, was das Panel selbst zeigt und sagt.',
    es: 'Idioma de lo que el propio panel muestra y dice.',
  },
  'http.host': {
    name: ['Listen on address', 'Adresse des Servers', 'Dirección del servidor'],
    de: 'Adresse, auf der der HTTP-Server neben Loopback Verbindungen annimmt.',
    es: 'Dirección en la que escucha el servidor HTTP, además de loopback.',
  },
  'http.port': {
    name: ['Port', 'Port', 'Puerto'],
    de: 'Port des HTTP-Servers; bei 0 wird ein freier gewählt.',
    es: 'Puerto del servidor HTTP; con 0 se elige uno libre.',
  },
  'http.plain': {
    name: ['Plain HTTP', 'HTTP ohne Verschlüsselung', 'HTTP sin cifrar'],
    de: 'Wen HTTP ohne Verschlüsselung einlässt; loopback: nur dieses Gerät, solange HTTPS an ist. Ohne HTTPS alle.',
    es: 'A quién admite HTTP sin cifrar; loopback: solo este equipo, mientras HTTPS esté activo. Sin HTTPS, a todos.',
  },
  'http.announce': {
    name: ['Announce on the network', 'Im Netzwerk bekannt machen', 'Anunciarse en la red'],
    de: 'Ob das Panel seine Adresse im Netzwerk per mDNS bekannt gibt, als _faceplate._tcp.',
    es: 'Si el panel anuncia su dirección en la red por mDNS, como _faceplate._tcp.',
  },
  'http.announceInterface': {
    name: [
      'Announce on this interface only',
      'Nur an dieser Schnittstelle bekannt machen',
      'Anunciarse solo en esta interfaz',
    ],
    de: 'Schnittstelle, auf der das geschieht: Name oder Adresse. Ohne Angabe alle, die http.host umfasst, außer Loopback.',
    es: 'Interfaz en la que se anuncia: nombre o dirección. Si falta, todas las que abarca http.host menos loopback.',
  },
  'http.allowedOrigins': {
    name: ['Web pages that may call', 'Webseiten, die aufrufen dürfen', 'Páginas que pueden llamar'],
    de: 'Browser-Ursprünge, die neben dem aktiven Projekt die API aufrufen dürfen.',
    es: 'Orígenes del navegador que, además del proyecto activo, pueden llamar a la API.',
  },
  'http.allowedHosts': {
    name: ['Further names of this panel', 'Weitere Namen dieses Panels', 'Otros nombres de este panel'],
    de: 'Weitere Namen, unter denen dieses Panel aufgerufen wird, z. B. panel.lan; *.example.org steht für alle Namen darunter.',
    es: 'Otros nombres por los que se llama a este panel, como panel.lan; *.example.org vale por todos los nombres por debajo.',
  },
  'https.port': {
    name: ['Port of HTTPS', 'Port von HTTPS', 'Puerto de HTTPS'],
    de: 'Port derselben API über HTTPS; bei 0 wird ein freier gewählt.',
    es: 'Puerto de la misma API por HTTPS; con 0 se elige uno libre.',
  },
  'ir.itachPort': {
    name: ['Port of the iTach protocol', 'Port des iTach-Protokolls', 'Puerto del protocolo iTach'],
    de: 'Port, an dem Programme im lokalen Netz die Infrarotsender wie die eines iTach nutzen, ohne Anmeldung; üblich ist 4998, bei 0 wird ein freier gewählt.',
    es: 'Puerto en el que los programas de la red local usan los emisores de infrarrojos como los de un iTach, sin inicio de sesión; 4998 es lo habitual, con 0 se elige uno libre.',
  },
  'https.certificate': {
    name: ['Certificate file', 'Zertifikatsdatei', 'Archivo del certificado'],
    de: 'PEM-Datei des Zertifikats samt denen bis zu seiner Zertifizierungsstelle; ohne sie erstellt das Panel ein eigenes.',
    es: 'Archivo PEM del certificado, con los que hay entre él y su autoridad; sin él, el panel crea uno propio.',
  },
  'https.key': {
    name: ['Key file', 'Schlüsseldatei', 'Archivo de la clave'],
    de: 'PEM-Datei des privaten Schlüssels zu https.certificate.',
    es: 'Archivo PEM de la clave privada de https.certificate.',
  },
  token: {
    name: ["The owner's token", 'Token des Eigentümers', 'Token del propietario'],
    de: 'Token der API; ohne Angabe wird beim ersten Start eines erzeugt und in <dataDir>/token aufbewahrt.',
    es: 'Token de la API; si falta, se crea uno en el primer arranque y se guarda en <dataDir>/token.',
  },
  'approval.commands': {
    name: ['Commands that need approval', 'Befehle mit Freigabe', 'Órdenes que requieren aprobación'],
    de: 'Befehle, die am Panel freigegeben werden müssen, wenn sie von außen aufgerufen werden, etwa system.reboot, terminal.exec.',
    es: 'Órdenes que requieren aprobación en el panel cuando se dan desde fuera, como system.reboot, terminal.exec.',
  },
  board: {
    name: ['Board', 'Platine', 'Placa'],
    de: 'auto, der Name eines mitgelieferten Platinenprofils oder der Pfad einer Profildatei.',
    es: 'auto, el nombre de un perfil de placa incluido o la ruta de un archivo de perfil.',
  },
  'terminal.enabled': {
    name: ['Run commands for callers', 'Befehle von Aufrufern ausführen', 'Ejecutar órdenes de quien llama'],
    de: 'Ob terminal/exec Befehle ausführt.',
    es: 'Si terminal/exec ejecuta órdenes.',
  },
  wizard: {
    name: ['First set-up', 'Ersteinrichtung', 'Primera configuración'],
    de: 'Ob ein neues Panel beim Start die Ersteinrichtung zeigt.',
    es: 'Si un panel nuevo muestra al iniciar la primera configuración.',
  },
  'apps.installDir': {
    name: ['Folder of packages', 'Ordner der Pakete', 'Carpeta de paquetes'],
    de: 'Ordner, aus dem Paketdateien installiert werden dürfen; ohne Angabe <dataDir>/packages.',
    es: 'Carpeta desde la que se pueden instalar paquetes; si falta, <dataDir>/packages.',
  },
  'mqtt.url': {
    name: ['Broker (MQTT)', 'Broker (MQTT)', 'Bróker (MQTT)'],
    de: 'Broker, mit dem das Panel verbunden ist: mqtt://, mqtts://, ws:// oder wss://. Ohne Angabe gibt es kein MQTT.',
    es: 'Bróker al que se conecta el panel: mqtt://, mqtts://, ws:// o wss://. Sin él no hay MQTT.',
  },
  'mqtt.username': {
    name: ['User at the broker', 'Benutzer am Broker', 'Usuario en el bróker'],
    de: 'Benutzer am Broker.',
    es: 'Usuario en el bróker.',
  },
  'mqtt.password': {
    name: ['Password at the broker', 'Passwort am Broker', 'Contraseña en el bróker'],
    de: 'Passwort am Broker.',
    es: 'Contraseña en el bróker.',
  },
  'mqtt.authorities': {
    name: ['Authorities of the broker', 'Zertifizierungsstellen des Brokers', 'Autoridades del bróker'],
    de: 'PEM-Dateien von Zertifizierungsstellen, die der Broker neben denen des Systems haben darf.',
    es: 'Archivos PEM de autoridades de certificación que el bróker puede tener, además de las del sistema.',
  },
  'mqtt.certificate': {
    name: ['Certificate for the broker', 'Zertifikat für den Broker', 'Certificado para el bróker'],
    de: 'PEM-Datei des eigenen Zertifikats, für einen Broker, der eines verlangt.',
    es: 'Archivo PEM del certificado propio, para un bróker que pida uno.',
  },
  'mqtt.key': {
    name: ['Key of that certificate', 'Schlüssel dieses Zertifikats', 'Clave de ese certificado'],
    de: 'PEM-Datei des privaten Schlüssels zu mqtt.certificate.',
    es: 'Archivo PEM de la clave privada de mqtt.certificate.',
  },
  'mqtt.prefix': {
    name: ['Topics begin with', 'Topics beginnen mit', 'Los temas empiezan por'],
    de: 'Erste Ebenen aller Topics der Panels.',
    es: 'Primeros niveles de todos los temas de los paneles.',
  },
  'mqtt.id': {
    name: ['Name on the broker', 'Name am Broker', 'Nombre en el bróker'],
    de: 'Name des Panels in seinen Topics; ohne Angabe die Kennung des Panels.',
    es: 'Nombre del panel en sus temas; sin él, el identificador del panel.',
  },
  'mqtt.scopes': {
    name: ['What the broker may do', 'Was der Broker darf', 'Lo que puede el bróker'],
    de: 'Was Aufrufer am Broker dürfen: view, control, manage, terminal, doors.',
    es: 'Lo que pueden hacer quienes llaman por el bróker: view, control, manage, terminal, doors.',
  },
  'mqtt.groups': {
    name: ['Groups', 'Gruppen', 'Grupos'],
    de: 'Gruppen, zu denen das Panel gehört.',
    es: 'Grupos a los que pertenece el panel.',
  },
  'mqtt.discovery': {
    name: ['Home Assistant discovery', 'Erkennung durch Home Assistant', 'Descubrimiento de Home Assistant'],
    de: 'Präfix der Erkennung von Home Assistant; leer heißt: keine Erkennung.',
    es: 'Prefijo de descubrimiento de Home Assistant; vacío: sin descubrimiento.',
  },
  'mqtt.fleet': {
    name: ['Manage the other panels', 'Die anderen Panels verwalten', 'Gestionar los otros paneles'],
    de: 'Ob dieses Panel die anderen am Broker auflistet und an sie verteilen darf.',
    es: 'Si este panel muestra los otros del bróker y puede distribuirles.',
  },
  'update.channel': {
    name: ['Channel of versions', 'Kanal der Versionen', 'Canal de versiones'],
    de: 'Adresse der Liste der Versionen, die dieses Panel haben darf (channel.json). Ohne sie wird nach keiner gesucht.',
    es: 'Dirección de la lista de versiones que este panel puede tener (channel.json). Sin ella no se busca ninguna.',
  },
  'update.login': {
    name: ['Login of the channel', 'Anmeldung am Kanal', 'Acceso al canal'],
    de: 'Anmeldung am Server von update.channel (HTTP-Authentifizierung): {"username":"panel","password":"…"}.',
    es: 'Acceso al servidor de update.channel (autenticación HTTP): {"username":"panel","password":"…"}.',
  },
  'update.window': {
    name: ['Window for updates', 'Zeitfenster für Updates', 'Franja para actualizaciones'],
    de: 'Wann das Panel eine neuere Version seines Kanals selbst installieren darf, in Ortszeit: 02:00-04:00. Ohne Angabe nur von Hand.',
    es: 'Cuándo el panel puede instalar por sí mismo una versión más nueva de su canal, en hora local: 02:00-04:00. Sin ella, solo a mano.',
  },
  'update.keys': {
    name: ['Keys of updates', 'Schlüssel der Updates', 'Claves de las actualizaciones'],
    de: 'PEM-Datei der Zertifikate, deren Schlüssel Versionen signieren dürfen. Nur per Umgebung oder Flag.',
    es: 'Archivo PEM de los certificados cuyas claves pueden firmar versiones. Solo por entorno u opción.',
  },
  'log.level': {
    name: ['Level of the log', 'Stufe des Protokolls', 'Nivel del registro'],
    de: 'Geringste Stufe, die noch ins Protokoll kommt.',
    es: 'Nivel mínimo que se anota en el registro.',
  },
  ...pageSettingWords,
  ...sipSettingWords,
};
