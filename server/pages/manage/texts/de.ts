import type { Texts } from './en.ts';

export const de: Texts = {
  name: 'Deutsch',
  texts: {
    language: 'Sprache',
    close: 'Schließen',
    setPinTitle: 'PIN festlegen',
    setPinHint: '4 bis 8 Ziffern. Wer sie kennt, kann an diesem Panel alles ändern.',
    repeatPin: 'Noch einmal eingeben',
    pinsDiffer: 'Die Eingaben stimmen nicht überein. Bitte noch einmal.',
    unlockTitle: 'PIN eingeben',
    unlockHint: 'Die Einstellungen dieses Panels sind gesperrt.',
    wrongPin: 'Die PIN ist falsch.',
    waitPin: 'Zu viele falsche PINs. Weiter in {seconds} s.',
    erase: 'Letzte Ziffer löschen',
    ok: 'OK',
    cancel: 'Abbrechen',
    save: 'Speichern',
    useDefault: 'Standardwert',
    saved: 'Gespeichert.',
    savedCleared:
      'Gespeichert. Gelöscht, weil es jetzt an einen anderen Server ginge: {keys}. Bitte neu eingeben.',
    failed: 'Das hat nicht geklappt: {reason}',
    panel: 'Panel',
    access: 'Zugang',
    projects: 'Projekte',
    display: 'Bild und Ton',
    settings: 'Alle Einstellungen',
    address: 'Adresse',
    addressHint: 'Mit einem Telefon im selben Netz scannen.',
    hostName: 'Gerätename',
    port: 'Port',
    board: 'Platine',
    browser: 'Seite gezeigt von',
    parts: 'Bauteile',
    real: 'vorhanden',
    simulated: 'simuliert',
    absent: 'fehlt',
    recoveries: 'Wiederherstellungen seit dem Start',
    none: 'keine',
    actions: 'Aktionen',
    reload: 'Seite neu laden',
    reloaded: 'Die Seite wird neu geladen.',
    reboot: 'Panel neu starten',
    rebootSure: 'Panel jetzt neu starten? Der Bildschirm ist ein bis zwei Minuten dunkel.',
    rebooting: 'Das Panel startet neu.',
    token: 'Zugangstoken',
    tokenHint: 'Programme senden es bei jedem Aufruf: „Authorization: Bearer <Token>“.',
    showToken: 'Token zeigen',
    hideToken: 'Token verbergen',
    rotateToken: 'Neues Token',
    rotateSure: 'Neues Token erzeugen? Programme mit dem alten werden sofort abgewiesen.',
    rotated: 'Das neue Token gilt jetzt.',
    tokenHeld: 'Eine Einstellung legt das Token fest; nur dort lässt es sich ändern.',
    pin: 'PIN dieser Seite',
    changePin: 'PIN ändern',
    pinHeld: 'Die Einstellung kiosk.pin legt die PIN fest.',
    pinChanged: 'Die neue PIN gilt jetzt.',
    noProjects: 'Kein Projekt installiert: Das Panel zeigt die Demo.',
    active: 'wird gezeigt',
    activate: 'Zeigen',
    rollback: 'Vorherige Version',
    rollbackSure: 'Zur vorherigen Version von „{name}“ zurück? Die neuere wird entfernt.',
    remove: 'Entfernen',
    removeSure: '„{name}“ mit allen Versionen entfernen?',
    done: 'Erledigt.',
    version: 'Version {version}',
    brightness: 'Helligkeit',
    volume: 'Lautstärke',
    noLevels: 'An diesem Panel lassen sich weder Helligkeit noch Lautstärke einstellen.',
    noCertificates: 'Kein Server wurde wegen seines Zertifikats abgewiesen.',
    certificateHint: 'Vor dem Vertrauen den Fingerabdruck mit dem am Gerät vergleichen.',
    trusted: 'vertraut',
    refused: 'abgewiesen',
    changed: 'hat sich geändert',
    trust: 'Vertrauen',
    trustSure: 'Genau diesem Zertifikat an {place} vertrauen? {fingerprint}',
    forget: 'Vergessen',
    restartNeeded: 'Gilt nach einem Neustart des Panels: {keys}',
    held: 'festgelegt durch {source}',
    lockedSetting: 'am Panel oder mit dem Token des Eigentümers',
    source_flag: 'die Befehlszeile',
    source_environment: 'die Umgebung',
    secretSet: 'gesetzt',
    secretNone: 'nicht gesetzt',
    empty: 'leer',
    off: 'aus',
    listHint: 'Mehrere Werte mit Komma trennen.',
    jsonHint: 'Als JSON geschrieben.',
    notJson: 'Das ist kein gültiges JSON: {reason}',
    secretHint: 'Der bisherige Wert wird nicht gezeigt; ein neuer ersetzt ihn ganz.',
    makeSecret: 'Neues erzeugen',
    copySecret:
      'Jetzt aufschreiben: Es wird nicht noch einmal gezeigt. Auf allen anderen Panels dasselbe eingeben.',
    on: 'ein',
  },
  settings: {
    dataDir:
      'Ordner für Token, Zustandsdateien und settings.json. Nur über die Umgebung oder die Befehlszeile.',
    wizard:
      'Ob ein Panel, das nie eingerichtet wurde, beim Start nach Sprache, Name, PIN, Netz und gezeigter Seite fragt.',
    'device.name': 'Name des Panels, für Menschen und im Netz.',
    'device.language': 'Sprache dessen, was das Panel selbst zeigt und sagt.',
    'http.announce': 'Ob das Panel seine Adresse im Netz per mDNS bekannt gibt, als _faceplate._tcp.',
    'http.announceInterface':
      'Schnittstelle, auf der das geschieht: Name oder Adresse. Ohne Angabe alle, die http.host umfasst, außer Loopback.',
    'http.host': 'Adresse, auf der der HTTP-Server neben Loopback Verbindungen annimmt.',
    'http.port': 'Port des HTTP-Servers; bei 0 wird ein freier gewählt.',
    'http.plain':
      'Wen HTTP ohne Verschlüsselung einlässt; loopback: nur dieses Gerät, solange HTTPS an ist. Ohne HTTPS alle.',
    'http.allowedOrigins': 'Browser-Ursprünge, die neben dem aktiven Projekt die API aufrufen dürfen.',
    'http.allowedHosts':
      'Weitere Namen, unter denen dieses Panel aufgerufen wird, z. B. panel.lan; *.example.org steht für alle Namen darunter.',
    'mqtt.url':
      'Broker, mit dem das Panel verbunden ist: mqtt://, mqtts://, ws:// oder wss://. Ohne Angabe gibt es kein MQTT.',
    'mqtt.username': 'Benutzer am Broker.',
    'mqtt.password': 'Passwort am Broker.',
    'mqtt.authorities':
      'PEM-Dateien von Zertifizierungsstellen, die der Broker neben denen des Systems haben darf.',
    'mqtt.certificate': 'PEM-Datei des eigenen Zertifikats, für einen Broker, der eines verlangt.',
    'mqtt.key': 'PEM-Datei des privaten Schlüssels zu mqtt.certificate.',
    'mqtt.prefix': 'Erste Ebenen aller Topics der Panels.',
    'mqtt.id': 'Name des Panels in seinen Topics; ohne Angabe die Kennung des Panels.',
    'mqtt.scopes': 'Was Aufrufer am Broker dürfen: view, control, manage, terminal, doors.',
    'mqtt.groups': 'Gruppen, zu denen das Panel gehört.',
    'mqtt.discovery': 'Präfix der Erkennung von Home Assistant; leer heißt: keine Erkennung.',
    'mqtt.fleet': 'Ob dieses Panel den anderen am Broker zuhört, sie auflistet und an sie verteilt.',
    'https.port': 'Port derselben API über HTTPS; bei 0 wird ein freier gewählt.',
    'https.certificate':
      'PEM-Datei des Zertifikats samt denen bis zu seiner Zertifizierungsstelle; ohne sie erstellt das Panel ein eigenes.',
    'https.key': 'PEM-Datei des privaten Schlüssels zu https.certificate.',
    token:
      'Token der API; ohne Angabe wird beim ersten Start eines erzeugt und in <dataDir>/token aufbewahrt.',
    'approval.commands':
      'Befehle, die auf ein Ja am Panel warten, wenn jemand sie von außen aufruft, etwa system.reboot, terminal.exec.',
    board: 'auto, der Name eines mitgelieferten Platinenprofils oder der Pfad einer Profildatei.',
    'terminal.enabled': 'Ob terminal/exec Befehle ausführt.',
    host: 'Was die Seite zeigt: auto, electron, chromium oder none (nur die API).',
    'kiosk.url': 'Seite, die statt des aktiven Projekts oder der Demo gezeigt wird.',
    'kiosk.pages':
      'Seiten, die mit ihrem Namen gezeigt werden können: [{"name":"Wetter","url":"https://…","seconds":20}]. Die mit seconds wechseln sich von selbst ab.',
    'kiosk.inject':
      'Stile und Skripte, die Seiten eines Ursprungs vor ihren eigenen bekommen: [{"origin":"http://hub.local","css":"header{display:none}"}].',
    'kiosk.userAgent':
      'Text am Ende dessen, wie sich der Browser nennt, für Server, die Panels daran erkennen.',
    'kiosk.logins':
      'Anmeldungen für Server, die danach fragen (HTTP-Authentifizierung): [{"origin":"https://hub.local","username":"panel","password":"…"}].',
    'kiosk.authorities':
      'PEM-Dateien von Zertifizierungsstellen, denen die Seite neben denen des Systems vertrauen darf, etwa der des Hauses.',
    'kiosk.secureOrigins':
      'Ursprünge mit http, die als sicher gelten, damit ihre Seiten bekommen, was nur sichere haben, etwa das Mikrofon.',
    'kiosk.scrollbars': 'Ob Seiten Bildlaufleisten zeigen; gerollt werden können sie auch ohne.',
    'kiosk.browserArguments':
      'Schalter für die Grafik einer Platine, etwa ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md nennt alle, die angenommen werden.',
    'kiosk.project':
      'Pfad eines Projektarchivs (.zip oder .ch5z), das bei jedem Start installiert und gezeigt wird.',
    'kiosk.parameters':
      'Parameter, die an die Adresse der Seite angehängt werden, zum Beispiel room=12&lang=de.',
    'projects.parameters':
      'Parameter je Projekt, die vor kiosk.parameters stehen: {"lobby-panel":"room=12"}.',
    'kiosk.headless': 'Browser ohne Bildschirm betreiben; auto: nur, wo es keinen Bildschirm gibt.',
    'kiosk.debugPort':
      'Für Tests: DevTools-Port auf 127.0.0.1; bei 0 wird ein freier gewählt. Nur per Umgebung oder Flag.',
    'kiosk.user':
      'Benutzer, unter dem der Browser läuft, wenn der Dienst root ist; gibt es ihn nicht, dann nobody.',
    'kiosk.fakeMedia': 'Für Tests: Kamera und Mikrofon, die der Browser vortäuscht.',
    'keyboard.enabled':
      'Ob der Bildschirm eine Tastatur zeigt; auto: wo eine Berührung ein Feld trifft, solange keine Tastatur angeschlossen ist.',
    'keyboard.layouts':
      'Belegungen dieser Tastatur: en, de, es, die erste davon zuerst; ohne Angabe die von device.language.',
    'kiosk.deadPageCheck':
      'Die Seite zurückholen, wenn sie sichtbaren Inhalt hat, der Bildschirm aber eine Minute lang einfarbig ist.',
    'kiosk.pin': 'PIN dieser Seite; ohne Angabe wird sie beim ersten Öffnen festgelegt.',
    'kiosk.memoryLimit':
      'So viel Speicher darf der Browser belegen; darüber wird er in einem ruhigen Moment neu gestartet, ab 150 % sofort. 0: beliebig viel; auto: 60 % des Speichers des Panels.',
    'kiosk.quietHour': 'Stunde des Tages (Ortszeit), in der ein Neustart des Browsers niemanden stört.',
    'bridge.origins': 'Ursprünge, deren Hauptseite neben dem aktiven Projekt window.container bekommt.',
    'bridge.aliases': 'Weitere globale Namen für window.container, zum Beispiel appcontainer.',
    'bridge.allowInstall': 'Ob Seiten Pakete installieren dürfen (window.MobileBridge.oemInstallApk).',
    'apps.installDir':
      'Ordner, aus dem Paketdateien installiert werden dürfen; ohne Angabe <dataDir>/packages.',
    'streams.lingerSeconds': 'Wie lange eine Kameraverbindung nach ihrem letzten Zuschauer bestehen bleibt.',
    'streams.logins':
      'Anmeldedaten für Kameras, in deren Adresse keine stehen: [{"host":"192.168.1.20","user":"panel","password":"…"}].',
    'streams.udpHosts':
      'Kameras, bei denen zuerst UDP versucht wird; kommt in 3 s nichts an, wird TCP genommen.',
    'sip.enabled': 'Ob das Panel als Sprechstelle arbeitet.',
    'sip.port': 'SIP-Port für UDP und TCP; TLS hat den nächsten. Bei 0 wird ein freier gewählt.',
    'sip.host': 'Adresse, auf der SIP und RTP ankommen; ohne Angabe alle.',
    'sip.deviceName': 'Name, unter dem andere das Panel sehen; ohne Angabe device.name.',
    'sip.registrar': 'Telefonanlage, an der sich das Panel anmeldet: Name oder Adresse, auf Wunsch mit Port.',
    'sip.username': 'Nebenstelle des Panels, auch ohne Telefonanlage; ohne Angabe panel.',
    'sip.password': 'Passwort an der Telefonanlage; geht an niemand anderen und nie im Klartext.',
    'sip.transport':
      'Weg zur Telefonanlage, ohne eine zu allen anderen: udp, tcp oder tls. Mit tls nimmt das Panel auch TLS-Verbindungen an.',
    'sip.allow':
      'Adressen oder Netze wie 192.168.1.0/24, die anrufen dürfen; mit sip.autoAnswer wird ihnen von selbst geantwortet.',
    'sip.allowLan': 'Ob alle in den Netzen, an denen das Panel hängt, anrufen dürfen.',
    'sip.autoAnswer':
      'Ob Anrufe aus sip.allow ohne Berührung angenommen werden, mit einem Ton und ohne Kamera.',
    'sip.panelSecret':
      'Gemeinsames Geheimnis der Panels eines Hauses, mindestens 16 Zeichen: Wer es nachweist, darf die anderen anrufen und zu allen sprechen.',
    'sip.discovery': 'Andere Panels über mDNS finden und von ihnen gefunden werden.',
    'sip.discoveryInterface': 'Adresse der Schnittstelle, an der nach Panels gesucht wird; ohne Angabe alle.',
    'sip.doors':
      'Türen als JSON-Liste von {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md erklärt die Felder.',
    'sip.registrarServer': 'Ob sich Türstationen am Panel selbst anmelden können.',
    'sip.registrarAccounts': 'Wer sich dort anmelden darf, als JSON-Liste von {username, password}.',
    'idle.dimAfter': 'Den Bildschirm dimmen, wenn er so lange nicht berührt wurde; 0: nie.',
    'idle.dimTo': 'Helligkeit des gedimmten Bildschirms; eine niedriger eingestellte bleibt, wie sie ist.',
    'idle.saverAfter': 'Den Bildschirmschoner zeigen, wenn das Panel so lange nicht berührt wurde; 0: nie.',
    'idle.saver':
      'Der Bildschirmschoner: clock (Uhr), black (schwarz), photos (Bilder) oder die Adresse einer Seite.',
    'idle.photos':
      'Bilder des Bildschirmschoners photos: ein Ordner des Panels oder eine Liste von Adressen.',
    'idle.offAfter': 'Das Licht des Bildschirms ausschalten, wenn er so lange nicht berührt wurde; 0: nie.',
    'idle.homeAfter': 'Zur Startseite zurückkehren, wenn das Panel so lange nicht berührt wurde; 0: nie.',
    'idle.clearAtHome':
      'Ob das Panel dann Cookies und Speicher der gezeigten Seiten vergisst, nicht aber der Startseite.',
    'idle.wakePins': 'Pins, deren Änderung als Berührung zählt, etwa der eines Bewegungsmelders: [0].',
    'update.channel':
      'Adresse der Liste der Versionen, die dieses Panel haben darf (channel.json). Ohne sie wird nach keiner gesucht.',
    'update.login':
      'Anmeldung am Server von update.channel (HTTP-Authentifizierung): {"username":"panel","password":"…"}.',
    'update.window':
      'Wann das Panel eine neuere Version seines Kanals von selbst nehmen darf, in Ortszeit: 02:00-04:00. Ohne Angabe nur von Hand.',
    'update.keys':
      'PEM-Datei der Zertifikate, deren Schlüssel Versionen signieren dürfen. Nur per Umgebung oder Flag.',
    'log.level': 'Geringste Stufe, die noch ins Protokoll kommt.',
  },
};
