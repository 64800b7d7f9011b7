import type { SettingWords } from '../contract/device.ts';

/** What the settings of the page and its screen are called, and what they are for. */
export const pageSettingWords = {
  host: {
    name: ['Page shown by', 'Seite gezeigt von', 'Página mostrada por'],
    de: 'Was die Seite zeigt: auto, electron, chromium oder none (nur die API).',
    es: 'Qué muestra la página: auto, electron, chromium o none (solo la API).',
  },
  'kiosk.url': {
    name: ['Address to show', 'Gezeigte Adresse', 'Dirección que se muestra'],
    de: 'Seite, die statt des aktiven Projekts oder der Demo gezeigt wird.',
    es: 'Página que se muestra en lugar del proyecto activo o de la demostración.',
  },
  'kiosk.pages': {
    name: [
      'Pages by name, and the rotation',
      'Seiten mit Namen, und ihr Wechsel',
      'Páginas con nombre y su rotación',
    ],
    de: 'Seiten, die mit ihrem Namen gezeigt werden können: [{"name":"Wetter","url":"https://…","seconds":20}]. Die mit seconds wechseln sich von selbst ab.',
    es: 'Páginas que se pueden mostrar por su nombre: [{"name":"Tiempo","url":"https://…","seconds":20}]. Las que tienen seconds se turnan solas.',
  },
  'kiosk.inject': {
    name: ['Styles and scripts for pages', 'Stile und Skripte für Seiten', 'Estilos y scripts para páginas'],
    de: 'Stile und Skripte, die Seiten eines Ursprungs vor ihren eigenen bekommen: [{"origin":"http://hub.local","css":"header{display:none}"}].',
    es: 'Estilos y scripts que las páginas de un origen reciben antes que los suyos: [{"origin":"http://hub.local","css":"header{display:none}"}].',
  },
  'kiosk.userAgent': {
    name: ['User agent suffix', 'Zusatz zum User-Agent', 'Sufijo del agente de usuario'],
    de: 'Text am Ende des User-Agents, für Server, die Panels daran erkennen.',
    es: 'Texto al final del agente de usuario, para servidores que reconocen así los paneles.',
  },
  'kiosk.logins': {
    name: ['Logins for web servers', 'Anmeldungen bei Webservern', 'Accesos a servidores web'],
    de: 'Anmeldungen für Server, die danach fragen (HTTP-Authentifizierung): [{"origin":"https://hub.local","username":"panel","password":"…"}].',
    es: 'Accesos para servidores que los piden (autenticación HTTP): [{"origin":"https://hub.local","username":"panel","password":"…"}].',
  },
  'kiosk.authorities': {
    name: ['Trusted authorities', 'Vertraute Zertifizierungsstellen', 'Autoridades de confianza'],
    de: 'PEM-Dateien von Zertifizierungsstellen, denen die Seite neben denen des Systems vertrauen darf, etwa der des Hauses.',
    es: 'Archivos PEM de autoridades de certificación en las que la página puede confiar además de las del sistema, como la de la casa.',
  },
  'kiosk.secureOrigins': {
    name: [
      'Origins that count as secure',
      'Ursprünge, die als sicher gelten',
      'Orígenes que cuentan como seguros',
    ],
    de: 'Ursprünge mit http, die als sicher gelten, damit ihre Seiten bekommen, was nur sichere haben, etwa das Mikrofon.',
    es: 'Orígenes por http que cuentan como seguros, para que sus páginas tengan lo que solo tienen las seguras, como el micrófono.',
  },
  'kiosk.thirdPartyCookies': {
    name: [
      'Pages whose frames keep cookies',
      'Seiten, deren Rahmen Cookies behalten',
      'Páginas cuyos marcos guardan cookies',
    ],
    de: 'Ursprünge von Seiten, in deren Rahmen andere Seiten ihre Cookies behalten, etwa die Anmeldung einer Kamera; auto: die von kiosk.url und kiosk.pages.',
    es: 'Orígenes de páginas en cuyos marcos otros sitios guardan sus cookies, como el acceso de una cámara; auto: los de kiosk.url y kiosk.pages.',
  },
  'kiosk.scrollbars': {
    name: ['Scrollbars', 'Bildlaufleisten', 'Barras de desplazamiento'],
    de: 'Ob Seiten Bildlaufleisten zeigen; scrollen lassen sie sich auch ohne.',
    es: 'Si las páginas muestran barras de desplazamiento; también se pueden desplazar sin ellas.',
  },
  'kiosk.screenReader': {
    name: ['Screen reader', 'Bildschirmleser', 'Lector de pantalla'],
    de: 'Ob ein Bildschirmleser (Screenreader, AT-SPI) lesen kann, was auf dem Bildschirm ist; der Browser braucht dann mehr Speicher und Zeit.',
    es: 'Si un lector de pantalla puede leer lo que hay en la pantalla (AT-SPI); el navegador usa entonces más memoria y tiempo.',
  },
  'kiosk.browserArguments': {
    name: ['Switches of the browser', 'Schalter des Browsers', 'Opciones del navegador'],
    de: 'Schalter für die Grafik einer Platine, etwa ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md nennt alle, die angenommen werden.',
    es: 'Opciones para los gráficos de una placa, como ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md nombra todas las que se aceptan.',
  },
  'kiosk.project': {
    name: ['Project file at start', 'Projektdatei beim Start', 'Archivo de proyecto al inicio'],
    de: 'Pfad eines Projektarchivs (.zip oder .ch5z), das bei jedem Start installiert und gezeigt wird.',
    es: 'Ruta de un archivo de proyecto (.zip o .ch5z) que se instala y se muestra en cada arranque.',
  },
  'kiosk.parameters': {
    name: ['Parameters of the page', 'Parameter der Seite', 'Parámetros de la página'],
    de: 'Parameter, die an die Adresse der Seite angehängt werden, zum Beispiel room=12&lang=de.',
    es: 'Parámetros que se añaden a la dirección de la página, por ejemplo room=12&lang=de.',
  },
  'projects.parameters': {
    name: ['Parameters of each project', 'Parameter je Projekt', 'Parámetros de cada proyecto'],
    de: 'Parameter je Projekt, die vor kiosk.parameters stehen: {"lobby-panel":"room=12"}.',
    es: 'Parámetros por proyecto, delante de kiosk.parameters: {"lobby-panel":"room=12"}.',
  },
  'kiosk.headless': {
    name: ['Without a screen', 'Ohne Bildschirm', 'Sin pantalla'],
    de: 'Browser ohne Bildschirm betreiben; auto: nur, wo es keinen Bildschirm gibt.',
    es: 'Usar el navegador sin pantalla; auto: solo donde no la hay.',
  },
  'keyboard.enabled': {
    name: ['On-screen keyboard', 'Bildschirmtastatur', 'Teclado en pantalla'],
    de: 'Ob der Bildschirm eine Tastatur zeigt; auto: wo eine Berührung ein Feld trifft, solange keine Tastatur angeschlossen ist.',
    es: 'Si la pantalla muestra un teclado; auto: donde un toque llega a un campo, mientras no haya un teclado conectado.',
  },
  'keyboard.layouts': {
    name: ['Layouts of the keyboard', 'Belegungen der Tastatur', 'Distribuciones del teclado'],
    de: 'Belegungen dieser Tastatur: en, de, es, die erste davon zuerst; ohne Angabe die von device.language.',
    es: 'Distribuciones de ese teclado: en, de, es, primero la primera; si falta, la de device.language.',
  },
  'kiosk.debugPort': {
    name: ['Port of the developer tools', 'Port der Entwicklerwerkzeuge', 'Puerto de las herramientas'],
    de: 'Für Tests: DevTools-Port auf 127.0.0.1; bei 0 wird ein freier gewählt. Nur per Umgebung oder Flag.',
    es: 'Para pruebas: puerto de DevTools en 127.0.0.1; con 0 se elige uno libre. Solo por entorno u opción.',
  },
  'kiosk.user': {
    name: ['User of the browser', 'Benutzer des Browsers', 'Usuario del navegador'],
    de: 'Benutzer, unter dem der Browser läuft, wenn der Dienst root ist; gibt es ihn nicht, dann nobody.',
    es: 'Usuario con el que se ejecuta el navegador cuando el servicio es root; si no existe, nobody.',
  },
  'kiosk.fakeMedia': {
    name: ['Fake camera and microphone', 'Simulierte Kamera und Mikrofon', 'Cámara y micrófono simulados'],
    de: 'Für Tests: Kamera und Mikrofon, die der Browser vortäuscht.',
    es: 'Para pruebas: cámara y micrófono simulados del navegador.',
  },
  'kiosk.deadPageCheck': {
    name: ['Reload frozen pages', 'Eingefrorene Seiten neu laden', 'Recargar páginas bloqueadas'],
    de: 'Die Seite zurückholen, wenn sie sichtbaren Inhalt hat, der Bildschirm aber eine Minute lang einfarbig ist.',
    es: 'Recuperar la página cuando tiene contenido visible, pero la pantalla es de un solo color durante un minuto.',
  },
  'kiosk.pin': {
    name: ['PIN of the settings', 'PIN der Einstellungen', 'PIN de los ajustes'],
    de: 'PIN der Einstellungen; sie gilt statt der am Panel gewählten PIN.',
    es: 'PIN de los ajustes; vale en lugar del PIN elegido en el panel.',
  },
  'kiosk.memoryLimit': {
    name: ['Memory for the browser', 'Speicher für den Browser', 'Memoria para el navegador'],
    de: 'So viel Speicher darf der Browser belegen; darüber wird er in einem ruhigen Moment neu gestartet, ab 150 % sofort. 0: beliebig viel; auto: 60 % des Speichers des Panels.',
    es: 'Memoria que puede ocupar el navegador; si la supera, se reinicia en un momento tranquilo y, a partir del 150 %, de inmediato. 0: sin límite; auto: el 60 % de la memoria del panel.',
  },
  'kiosk.quietHour': {
    name: ['Quiet hour', 'Ruhige Stunde', 'Hora tranquila'],
    de: 'Stunde des Tages (Ortszeit), in der der Browser neu starten darf.',
    es: 'Hora del día (hora local) en la que el navegador puede reiniciarse.',
  },
  'bridge.origins': {
    name: [
      'Origins with access to the hardware',
      'Ursprünge mit Zugriff auf die Hardware',
      'Orígenes con acceso al hardware',
    ],
    de: 'Ursprünge, deren Hauptseite neben dem aktiven Projekt window.container bekommt.',
    es: 'Orígenes cuya página principal recibe window.container, además del proyecto activo.',
  },
  'bridge.aliases': {
    name: [
      'Extra names for window.container',
      'Weitere Namen für window.container',
      'Otros nombres de window.container',
    ],
    de: 'Weitere globale Namen für window.container, zum Beispiel appcontainer.',
    es: 'Otros nombres globales de window.container, por ejemplo appcontainer.',
  },
  'bridge.allowInstall': {
    name: [
      'Pages may install programs',
      'Seiten dürfen Programme installieren',
      'Las páginas pueden instalar programas',
    ],
    de: 'Ob Seiten Pakete installieren dürfen (window.MobileBridge.oemInstallApk).',
    es: 'Si las páginas pueden instalar paquetes (window.MobileBridge.oemInstallApk).',
  },
  'streams.lingerSeconds': {
    name: ['Keep a camera connected for', 'Kamera verbunden halten', 'Mantener la cámara conectada'],
    de: 'Wie lange eine Kameraverbindung nach ihrem letzten Zuschauer bestehen bleibt.',
    es: 'Cuánto tiempo se mantiene la conexión con una cámara tras su último espectador.',
  },
  'streams.cameras': {
    name: ['Cameras', 'Kameras', 'Cámaras'],
    de: 'Kameras mit Namen, für camera:<name>: [{"name":"Tür","url":"onvif://192.168.1.20/","login":{"user":"panel","password":"…"}}]; docs/video.md erklärt die Felder.',
    es: 'Cámaras con nombre, para camera:<name>: [{"name":"Puerta","url":"onvif://192.168.1.20/","login":{"user":"panel","password":"…"}}]; docs/video.md explica los campos.',
  },
  'streams.logins': {
    name: ['Logins of cameras', 'Anmeldedaten der Kameras', 'Credenciales de cámaras'],
    de: 'Anmeldedaten für Kameras, in deren Adresse keine stehen: [{"host":"192.168.1.20","user":"panel","password":"…"}].',
    es: 'Credenciales de las cámaras cuya dirección no las lleva: [{"host":"192.168.1.20","user":"panel","password":"…"}].',
  },
  'streams.udpHosts': {
    name: ['Cameras that use UDP', 'Kameras über UDP', 'Cámaras por UDP'],
    de: 'Kameras, bei denen zuerst UDP versucht wird; kommt in 3 s nichts an, wird TCP genommen.',
    es: 'Cámaras con las que se prueba primero UDP; si no llega nada en 3 s, se usa TCP.',
  },
  'streams.oldTlsHosts': {
    name: ['Cameras with old TLS', 'Kameras mit altem TLS', 'Cámaras con TLS antiguo'],
    de: 'Kameras, die bei rtsps:// auch TLS 1.0, TLS 1.1 und schwache Verfahren benutzen dürfen; andere im Netzwerk können sie brechen.',
    es: 'Cámaras que con rtsps:// pueden usar TLS 1.0, TLS 1.1 y cifrados débiles; otros en la red pueden romperlos.',
  },
  'streams.talkFromAfar': {
    name: ['Talk from outside the panel', 'Von außerhalb sprechen', 'Hablar desde fuera del panel'],
    de: 'Ob Zuschauer außerhalb des Panels mit Kameras sprechen dürfen, nicht nur hören.',
    es: 'Si los espectadores fuera del panel pueden hablar con las cámaras, no solo escuchar.',
  },
  'idle.dimAfter': {
    name: ['Dim after', 'Dimmen nach', 'Atenuar tras'],
    de: 'Den Bildschirm dimmen, wenn er so lange nicht berührt wurde; 0: nie.',
    es: 'Atenuar la pantalla cuando no se ha tocado durante este tiempo; 0: nunca.',
  },
  'idle.dimTo': {
    name: ['Brightness when dimmed', 'Helligkeit gedimmt', 'Brillo atenuado'],
    de: 'Helligkeit des gedimmten Bildschirms; eine niedriger eingestellte bleibt, wie sie ist.',
    es: 'Brillo de la pantalla atenuada; uno ajustado más bajo se queda como está.',
  },
  'idle.saverAfter': {
    name: ['Screen saver after', 'Bildschirmschoner nach', 'Salvapantallas tras'],
    de: 'Den Bildschirmschoner zeigen, wenn das Panel so lange nicht berührt wurde; 0: nie.',
    es: 'Mostrar el salvapantallas cuando el panel no se ha tocado durante este tiempo; 0: nunca.',
  },
  'idle.saver': {
    name: ['Screen saver', 'Bildschirmschoner', 'Salvapantallas'],
    de: 'Der Bildschirmschoner: clock (Uhr), black (schwarz), photos (Bilder) oder die Adresse einer Seite.',
    es: 'El salvapantallas: clock (reloj), black (negro), photos (fotos) o la dirección de una página.',
  },
  'idle.photos': {
    name: ['Pictures of the screen saver', 'Bilder des Bildschirmschoners', 'Fotos del salvapantallas'],
    de: 'Bilder des Bildschirmschoners photos: ein Ordner des Panels oder eine Liste von Adressen.',
    es: 'Fotos del salvapantallas photos: una carpeta del panel o una lista de direcciones.',
  },
  'idle.offAfter': {
    name: ['Screen off after', 'Bildschirm aus nach', 'Apagar la pantalla tras'],
    de: 'Den Bildschirm ausschalten, wenn er so lange nicht berührt wurde; 0: nie.',
    es: 'Apagar la pantalla cuando no se ha tocado durante este tiempo; 0: nunca.',
  },
  'idle.homeAfter': {
    name: ['Home page after', 'Startseite nach', 'Página de inicio tras'],
    de: 'Zur Startseite zurückkehren, wenn das Panel so lange nicht berührt wurde; 0: nie.',
    es: 'Volver a la página de inicio cuando el panel no se ha tocado durante este tiempo; 0: nunca.',
  },
  'idle.clearAtHome': {
    name: [
      'Delete guest data at home',
      'Gastdaten auf der Startseite löschen',
      'Borrar datos de invitados al volver',
    ],
    de: 'Ob das Panel dann Cookies und Websitedaten der gezeigten Seiten löscht, nicht aber die der Startseite.',
    es: 'Si el panel borra entonces las cookies y los datos de las páginas mostradas, pero no los de la página de inicio.',
  },
  'idle.wakePins': {
    name: ['Pins that wake', 'Pins, die wecken', 'Pines que despiertan'],
    de: 'Pins, deren Änderung als Berührung zählt, etwa der eines Bewegungsmelders: [0].',
    es: 'Pines cuyo cambio cuenta como un toque, como el de un sensor de movimiento: [0].',
  },
} satisfies Readonly<Record<string, SettingWords>>;
