import type { SettingWords } from '../contract/device.ts';

/** What the settings of the intercom are called, and what they are for. */
export const sipSettingWords = {
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
    name: ['Way to the telephone system', 'Weg zur Telefonanlage', 'Vía a la centralita'],
    de: 'Weg zur Telefonanlage, ohne eine zu allen anderen: udp, tcp oder tls. Mit tls nimmt das Panel auch TLS-Verbindungen an.',
    es: 'Transporte hasta la centralita y, si no hay, hasta todos los demás: udp, tcp o tls. Con tls el panel también acepta conexiones TLS.',
  },
  'sip.allow': {
    name: ['Who may call', 'Wer anrufen darf', 'Quién puede llamar'],
    de: 'Adressen oder Netze wie 192.168.1.0/24, die anrufen dürfen; mit sip.autoAnswer wird ihnen von selbst geantwortet.',
    es: 'Direcciones o redes, como 192.168.1.0/24, que pueden llamar; con sip.autoAnswer se les contesta automáticamente.',
  },
  'sip.allowLan': {
    name: ['Everybody nearby may call', 'Alle im Netz dürfen anrufen', 'Todos en la red pueden llamar'],
    de: 'Ob alle in den Netzen, an denen das Panel hängt, anrufen dürfen.',
    es: 'Si pueden llamar todos los equipos de las redes a las que está conectado el panel.',
  },
  'sip.autoAnswer': {
    name: ['Answer by itself', 'Von selbst annehmen', 'Contestar solo'],
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
    de: 'Türen als JSON-Liste von {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md erklärt die Felder.',
    es: 'Puertas, como lista JSON de {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md explica los campos.',
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
    name: ['Secret of the house', 'Geheimnis des Hauses', 'Secreto de la casa'],
    de: 'Gemeinsames Geheimnis der Panels eines Hauses, mindestens 16 Zeichen: Wer es nachweist, darf die anderen anrufen und zu allen sprechen.',
    es: 'Secreto común de los paneles de una casa, de 16 caracteres o más: los que lo demuestran pueden llamar a los demás y hablar a todos.',
  },
} satisfies Readonly<Record<string, SettingWords>>;
