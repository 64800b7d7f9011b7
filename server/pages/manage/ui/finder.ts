/** Something that a search can find. */
export interface Findable {
  readonly title: string;
  /** Where it is, or what kind of thing it is. */
  readonly place: string;
  /** Further words that find it, in any language. */
  readonly words: string;
}

/** Small letters without accents, so that `lautstarke` finds Lautstärke. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** How well a word fits, the lower the better; undefined: not at all. */
function rankOf(word: string, title: string, rest: string): number | undefined {
  if (title.startsWith(word)) return 0;
  if (title.includes(` ${word}`)) return 1;
  if (` ${rest}`.includes(` ${word}`)) return 2;
  if (title.includes(word)) return 3;
  return rest.includes(word) ? 4 : undefined;
}

/** What fits all words of a query, the best first. */
export function found<F extends Findable>(query: string, all: readonly F[]): F[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return all
    .map((one, at) => {
      const title = plain(one.title);
      const rest = plain(`${one.words} ${one.place}`);
      const ranks = words.map((word) => rankOf(word, title, rest));
      const sum = ranks.some((rank) => rank === undefined)
        ? undefined
        : ranks.reduce((total, rank) => total! + rank!, 0);
      return { one, at, sum };
    })
    .filter(({ sum }) => sum !== undefined)
    .sort((a, b) => a.sum! - b.sum! || a.at - b.at)
    .map(({ one }) => one);
}

/** What people call the content of a view beside its title, in English, German and Spanish, by its path. */
export const synonyms: Readonly<Record<string, string>> = {
  home: 'overview status start picture übersicht zustand bild resumen estado imagen',
  'content/pages':
    'page url website dashboard home assistant slideshow playlist show seite webseite startseite diaschau zeigen página web tablero inicio pase mostrar',
  'content/projects':
    'project upload zip ch5z install version projekt hochladen installieren proyecto subir instalar',
  'content/messages':
    'message notification alert text say speak sound chime speech mitteilung nachricht meldung hinweis sprechen ton durchsage mensaje aviso notificación hablar sonido voz',
  'content/web':
    'scrollbar login password css inject style user agent cookies bildlaufleiste anmeldung stil kennwort barra contraseña estilo',
  'screen/display':
    'brightness light volume sound loud mute zoom scale rotate rotation turn portrait landscape keyboard on off helligkeit licht lautstärke ton laut stumm vergrößern drehen drehung hochformat querformat tastatur brillo luz volumen sonido silencio ampliar girar rotación vertical teclado',
  'screen/idle':
    'idle dim dark night sleep saver screensaver off motion wake photos dimmen dunkel nacht schlafen ruhe bildschirmschoner aus bewegung wecken fotos reposo atenuar oscuro noche dormir salvapantallas apagar movimiento despertar',
  'screen/schedule':
    'schedule sleep night dark week time timer alarm wake off zeitplan schlafen nacht dunkel woche uhrzeit wecker wecken aus horario dormir noche oscuro semana hora alarma despertar apagar',
  'screen/remote':
    'remote control live touch vnc view see fernsteuerung fernwartung berühren sehen control remoto directo tocar ver',
  'devices/hardware':
    'gpio pin relay input output button led light colour relais eingang ausgang taste schalter farbe licht relé entrada salida botón color luz',
  'devices/lines': 'serial rs232 rs485 modbus udp tcp port terminal seriell schnittstelle serie puerto red',
  'devices/cameras': 'camera video rtsp onvif stream picture kamera bild cámara vídeo imagen',
  'devices/intercom':
    'intercom sip call door bell doorbell phone open sprechanlage türklingel klingel tür anruf telefon öffnen portero timbre puerta llamada teléfono abrir',
  'devices/parts':
    'hardware board parts simulated missing platine bauteile simuliert fehlt placa componentes simulado falta',
  'connections/network':
    'wifi wlan wireless network ip address dns gateway ethernet lan time zone clock ntp netz netzwerk funk adresse uhr zeitzone red inalámbrica dirección hora zona',
  'connections/broker': 'mqtt broker home assistant hass discovery integration bróker integración',
  fleet: 'fleet panels other rollout all flotte andere verteilen flota otros paneles distribuir',
  people:
    'people person invite phone pair code qr token sign in pin password access person einladen telefon koppeln zugang kennwort personas invitar teléfono emparejar acceso contraseña certificate https zertifikat certificado',
  'people/activity':
    'activity journal history who when timeline log verlauf protokoll wer wann zeitleiste historial quién cuándo cronología',
  system:
    'update version restart reboot reset health temperature memory disk about licence developer aktualisieren neustart zurücksetzen zustand temperatur speicher entwickler actualizar reiniciar restablecer salud temperatura memoria desarrollo',
  'system/backup': 'backup restore save copy sicherung wiederherstellen speichern copia guardar restaurar',
  'system/log': 'log error lines protokoll fehler registro error',
  'system/console': 'console javascript error page konsole fehler consola error',
  'system/settings':
    'settings advanced all options einstellungen erweitert alle ajustes avanzado todos opciones',
  'system/api': 'api http curl openapi call aufruf llamada',
};

/** Where settings are changed, beside all of them under Advanced: whole keys, or the beginning of keys. */
export const settingHomes: Readonly<Record<string, readonly string[]>> = {
  'content/pages': ['kiosk.url', 'kiosk.pages', 'kiosk.parameters'],
  'content/web': [
    'kiosk.scrollbars',
    'kiosk.inject',
    'kiosk.logins',
    'kiosk.thirdPartyCookies',
    'kiosk.secureOrigins',
    'kiosk.authorities',
    'kiosk.userAgent',
    'kiosk.browserArguments',
  ],
  'screen/idle': ['idle.'],
  'devices/cameras': ['streams.'],
  'devices/intercom': ['sip.'],
  'connections/network': ['device.name', 'http.', 'https.'],
  'connections/broker': [
    'mqtt.url',
    'mqtt.username',
    'mqtt.password',
    'mqtt.discovery',
    'mqtt.scopes',
    'mqtt.id',
    'mqtt.prefix',
    'mqtt.authorities',
    'mqtt.certificate',
    'mqtt.key',
  ],
  fleet: ['mqtt.fleet', 'mqtt.groups'],
  people: ['approval.commands', 'bridge.', 'apps.', 'terminal.enabled', 'kiosk.pin', 'token'],
  system: ['update.', 'device.language', 'kiosk.quietHour', 'kiosk.deadPageCheck', 'kiosk.memoryLimit'],
  'screen/display': ['keyboard.'],
};

/** The path of the view in which a setting is changed, and that points at it. */
export function settingPath(key: string): string {
  const home = Object.entries(settingHomes).find(([, keys]) =>
    keys.some((each) => (each.endsWith('.') ? key.startsWith(each) : key === each)),
  );
  return `${home?.[0] ?? 'system/settings'}/${key}`;
}
