import type { Texts } from './en.ts';

export const es: Texts = {
  name: 'Español',
  texts: {
    language: 'Idioma',
    close: 'Cerrar',
    setPinTitle: 'Elija un PIN',
    setPinHint: 'De 4 a 8 cifras. Quien lo conozca puede cambiar todo en este panel.',
    repeatPin: 'Introdúzcalo otra vez',
    pinsDiffer: 'Las dos entradas no coinciden. Inténtelo de nuevo.',
    unlockTitle: 'Introduzca el PIN',
    unlockHint: 'Los ajustes de este panel están bloqueados.',
    wrongPin: 'El PIN es incorrecto.',
    waitPin: 'Demasiados PIN incorrectos. Inténtelo en {seconds} s.',
    erase: 'Borrar la última cifra',
    ok: 'Aceptar',
    cancel: 'Cancelar',
    save: 'Guardar',
    useDefault: 'Valor por defecto',
    saved: 'Guardado.',
    savedCleared: 'Guardado. Borrado, porque ahora iría a otro servidor: {keys}. Introdúzcalo de nuevo.',
    failed: 'No ha funcionado: {reason}',
    panel: 'Panel',
    access: 'Acceso',
    projects: 'Proyectos',
    display: 'Pantalla y sonido',
    settings: 'Todos los ajustes',
    address: 'Dirección',
    addressHint: 'Escanéela con un teléfono de la misma red.',
    hostName: 'Nombre del equipo',
    port: 'Puerto',
    board: 'Placa',
    browser: 'Página mostrada por',
    parts: 'Componentes',
    real: 'presente',
    simulated: 'simulado',
    absent: 'ausente',
    recoveries: 'Recuperaciones desde el inicio',
    none: 'ninguna',
    actions: 'Acciones',
    reload: 'Recargar la página',
    reloaded: 'La página se carga de nuevo.',
    reboot: 'Reiniciar el panel',
    rebootSure: '¿Reiniciar el panel ahora? La pantalla estará oscura uno o dos minutos.',
    rebooting: 'El panel se reinicia.',
    token: 'Token de acceso',
    tokenHint: 'Los programas lo envían en cada llamada: «Authorization: Bearer <token>».',
    showToken: 'Mostrar token',
    hideToken: 'Ocultar token',
    rotateToken: 'Token nuevo',
    rotateSure: '¿Crear un token nuevo? Los programas con el antiguo se rechazan de inmediato.',
    rotated: 'El token nuevo ya es válido.',
    tokenHeld: 'Un ajuste fija el token; solo allí se puede cambiar.',
    pin: 'PIN de esta página',
    changePin: 'Cambiar PIN',
    pinHeld: 'El ajuste kiosk.pin fija el PIN.',
    pinChanged: 'El PIN nuevo ya es válido.',
    noProjects: 'No hay proyectos instalados: el panel muestra la demostración.',
    active: 'se muestra ahora',
    activate: 'Mostrar',
    rollback: 'Versión anterior',
    rollbackSure: '¿Volver a la versión anterior de «{name}»? La más nueva se elimina.',
    remove: 'Eliminar',
    removeSure: '¿Eliminar «{name}» con todas sus versiones?',
    done: 'Hecho.',
    version: 'Versión {version}',
    brightness: 'Brillo',
    volume: 'Volumen',
    noLevels: 'En este panel no se pueden ajustar ni el brillo ni el volumen.',
    noCertificates: 'Ningún servidor fue rechazado por su certificado.',
    certificateHint: 'Compare la huella con la que muestra el dispositivo antes de confiar.',
    trusted: 'de confianza',
    refused: 'rechazado',
    changed: 'ha cambiado',
    trust: 'Confiar',
    trustSure: '¿Confiar en este certificado exacto en {place}? {fingerprint}',
    forget: 'Olvidar',
    restartNeeded: 'Cuenta tras reiniciar el panel: {keys}',
    held: 'fijado por {source}',
    lockedSetting: 'en el panel, o con el token del propietario',
    source_flag: 'la línea de órdenes',
    source_environment: 'el entorno',
    secretSet: 'definido',
    secretNone: 'sin definir',
    empty: 'vacío',
    off: 'no',
    listHint: 'Varios valores separados por comas.',
    jsonHint: 'Escrito como JSON.',
    notJson: 'Esto no es JSON válido: {reason}',
    secretHint: 'El valor actual no se muestra; uno nuevo lo sustituye por completo.',
    makeSecret: 'Crear uno nuevo',
    copySecret: 'Anótelo ahora: no se vuelve a mostrar. Escriba el mismo en todos los demás paneles.',
    on: 'sí',
  },
  settings: {
    dataDir:
      'Carpeta del token, de los archivos de estado y de settings.json. Solo por el entorno o la línea de órdenes.',
    wizard:
      'Si un panel que nunca se configuró pregunta al iniciar por idioma, nombre, PIN, red y qué mostrar.',
    'device.name': 'Nombre del panel, para las personas y en la red.',
    'device.language': 'Idioma de lo que el propio panel muestra y dice.',
    'http.announce': 'Si el panel anuncia su dirección en la red por mDNS, como _faceplate._tcp.',
    'http.announceInterface':
      'Interfaz en la que se anuncia: nombre o dirección. Si falta, todas las que abarca http.host menos loopback.',
    'http.host': 'Dirección en la que escucha el servidor HTTP, además de loopback.',
    'http.port': 'Puerto del servidor HTTP; con 0 se elige uno libre.',
    'http.plain':
      'A quién admite HTTP sin cifrar; loopback: solo este equipo, mientras HTTPS esté activo. Sin HTTPS, a todos.',
    'http.allowedOrigins': 'Orígenes del navegador que, además del proyecto activo, pueden llamar a la API.',
    'http.allowedHosts':
      'Otros nombres por los que se llama a este panel, como panel.lan; *.example.org vale por todos los nombres por debajo.',
    'mqtt.url': 'Bróker al que se conecta el panel: mqtt://, mqtts://, ws:// o wss://. Sin él no hay MQTT.',
    'mqtt.username': 'Usuario en el bróker.',
    'mqtt.password': 'Contraseña en el bróker.',
    'mqtt.authorities':
      'Archivos PEM de autoridades de certificación que el bróker puede tener, además de las del sistema.',
    'mqtt.certificate': 'Archivo PEM del certificado propio, para un bróker que pida uno.',
    'mqtt.key': 'Archivo PEM de la clave privada de mqtt.certificate.',
    'mqtt.prefix': 'Primeros niveles de todos los temas de los paneles.',
    'mqtt.id': 'Nombre del panel en sus temas; sin él, el identificador del panel.',
    'mqtt.scopes':
      'Lo que pueden hacer quienes llaman por el bróker: view, control, manage, terminal, doors.',
    'mqtt.groups': 'Grupos a los que pertenece el panel.',
    'mqtt.discovery': 'Prefijo de descubrimiento de Home Assistant; vacío: sin descubrimiento.',
    'mqtt.fleet': 'Si este panel escucha a los otros en el bróker, los lista y les distribuye.',
    'https.port': 'Puerto de la misma API por HTTPS; con 0 se elige uno libre.',
    'https.certificate':
      'Archivo PEM del certificado, con los que hay entre él y su autoridad; sin él, el panel crea uno propio.',
    'https.key': 'Archivo PEM de la clave privada de https.certificate.',
    token: 'Token de la API; si falta, se crea uno en el primer arranque y se guarda en <dataDir>/token.',
    'approval.commands':
      'Órdenes que esperan un sí en el panel cuando alguien las da desde fuera, como system.reboot, terminal.exec.',
    board: 'auto, el nombre de un perfil de placa incluido o la ruta de un archivo de perfil.',
    'terminal.enabled': 'Si terminal/exec ejecuta órdenes.',
    host: 'Qué muestra la página: auto, electron, chromium o none (solo la API).',
    'kiosk.url': 'Página que se muestra en lugar del proyecto activo o de la demostración.',
    'kiosk.pages':
      'Páginas que se pueden mostrar por su nombre: [{"name":"Tiempo","url":"https://…","seconds":20}]. Las que tienen seconds se turnan solas.',
    'kiosk.inject':
      'Estilos y scripts que las páginas de un origen reciben antes que los suyos: [{"origin":"http://hub.local","css":"header{display:none}"}].',
    'kiosk.userAgent':
      'Texto al final de cómo se llama el navegador, para servidores que reconocen así los paneles.',
    'kiosk.logins':
      'Accesos para servidores que los piden (autenticación HTTP): [{"origin":"https://hub.local","username":"panel","password":"…"}].',
    'kiosk.authorities':
      'Archivos PEM de autoridades de certificación en las que la página puede confiar además de las del sistema, como la de la casa.',
    'kiosk.secureOrigins':
      'Orígenes por http que cuentan como seguros, para que sus páginas tengan lo que solo tienen las seguras, como el micrófono.',
    'kiosk.scrollbars':
      'Si las páginas muestran barras de desplazamiento; también se pueden desplazar sin ellas.',
    'kiosk.browserArguments':
      'Opciones para los gráficos de una placa, como ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md nombra todas las que se aceptan.',
    'kiosk.project':
      'Ruta de un archivo de proyecto (.zip o .ch5z) que se instala y se muestra en cada arranque.',
    'kiosk.parameters': 'Parámetros que se añaden a la dirección de la página, por ejemplo room=12&lang=de.',
    'projects.parameters': 'Parámetros por proyecto, delante de kiosk.parameters: {"lobby-panel":"room=12"}.',
    'kiosk.headless': 'Usar el navegador sin pantalla; auto: solo donde no la hay.',
    'kiosk.debugPort':
      'Para pruebas: puerto de DevTools en 127.0.0.1; con 0 se elige uno libre. Solo por entorno u opción.',
    'kiosk.user':
      'Usuario con el que se ejecuta el navegador cuando el servicio es root; si no existe, nobody.',
    'kiosk.fakeMedia': 'Para pruebas: cámara y micrófono simulados del navegador.',
    'keyboard.enabled':
      'Si la pantalla muestra un teclado; auto: donde un toque llega a un campo, mientras no haya un teclado conectado.',
    'keyboard.layouts':
      'Distribuciones de ese teclado: en, de, es, primero la primera; si falta, la de device.language.',
    'kiosk.deadPageCheck':
      'Recuperar la página cuando tiene contenido visible, pero la pantalla es de un solo color durante un minuto.',
    'kiosk.pin': 'PIN de esta página; si falta, se elige al abrirla por primera vez.',
    'kiosk.memoryLimit':
      'Memoria que puede ocupar el navegador; si la supera, se reinicia en un momento tranquilo y, a partir del 150 %, de inmediato. 0: sin límite; auto: el 60 % de la memoria del panel.',
    'kiosk.quietHour': 'Hora del día (hora local) en la que reiniciar el navegador no molesta a nadie.',
    'bridge.origins': 'Orígenes cuya página principal recibe window.container, además del proyecto activo.',
    'bridge.aliases': 'Otros nombres globales de window.container, por ejemplo appcontainer.',
    'bridge.allowInstall': 'Si las páginas pueden instalar paquetes (window.MobileBridge.oemInstallApk).',
    'apps.installDir': 'Carpeta desde la que se pueden instalar paquetes; si falta, <dataDir>/packages.',
    'streams.lingerSeconds':
      'Cuánto tiempo se mantiene la conexión con una cámara tras su último espectador.',
    'streams.logins':
      'Credenciales de las cámaras cuya dirección no las lleva: [{"host":"192.168.1.20","user":"panel","password":"…"}].',
    'streams.udpHosts': 'Cámaras con las que se prueba primero UDP; si no llega nada en 3 s, se usa TCP.',
    'sip.enabled': 'Si el panel funciona como intercomunicador.',
    'sip.port': 'Puerto SIP para UDP y TCP; TLS usa el siguiente. Con 0 se elige uno libre.',
    'sip.host': 'Dirección en la que escuchan SIP y RTP; si falta, todas.',
    'sip.deviceName': 'Nombre con el que los demás ven el panel; si falta, device.name.',
    'sip.registrar':
      'Centralita en la que se registra el panel: nombre o dirección, con puerto si hace falta.',
    'sip.username': 'Extensión del panel, también sin centralita; si falta, panel.',
    'sip.password': 'Contraseña de la centralita; no se envía a nadie más y nunca sin cifrar.',
    'sip.transport':
      'Transporte hasta la centralita y, si no hay, hasta todos los demás: udp, tcp o tls. Con tls el panel también acepta conexiones TLS.',
    'sip.allow':
      'Direcciones o redes, como 192.168.1.0/24, que pueden llamar; con sip.autoAnswer se les contesta automáticamente.',
    'sip.allowLan': 'Si pueden llamar todos los equipos de las redes a las que está conectado el panel.',
    'sip.autoAnswer':
      'Si las llamadas de sip.allow se contestan sin tocar la pantalla, con un tono y sin cámara.',
    'sip.panelSecret':
      'Secreto común de los paneles de una casa, de 16 caracteres o más: los que lo demuestran pueden llamar a los demás y hablar a todos.',
    'sip.discovery': 'Encontrar otros paneles por mDNS y dejarse encontrar.',
    'sip.discoveryInterface': 'Dirección de la interfaz en la que se buscan paneles; si falta, todas.',
    'sip.doors':
      'Puertas, como lista JSON de {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md explica los campos.',
    'sip.registrarServer': 'Si los videoporteros pueden registrarse en el propio panel.',
    'sip.registrarAccounts': 'Quién puede registrarse en él, como lista JSON de {username, password}.',
    'idle.dimAfter': 'Atenuar la pantalla cuando no se ha tocado durante este tiempo; 0: nunca.',
    'idle.dimTo': 'Brillo de la pantalla atenuada; uno ajustado más bajo se queda como está.',
    'idle.saverAfter':
      'Mostrar el salvapantallas cuando el panel no se ha tocado durante este tiempo; 0: nunca.',
    'idle.saver':
      'El salvapantallas: clock (reloj), black (negro), photos (fotos) o la dirección de una página.',
    'idle.photos': 'Fotos del salvapantallas photos: una carpeta del panel o una lista de direcciones.',
    'idle.offAfter': 'Apagar la luz de la pantalla cuando no se ha tocado durante este tiempo; 0: nunca.',
    'idle.homeAfter':
      'Volver a la página de inicio cuando el panel no se ha tocado durante este tiempo; 0: nunca.',
    'idle.clearAtHome':
      'Si el panel olvida entonces las cookies y los datos de las páginas mostradas, pero no los de la página de inicio.',
    'idle.wakePins': 'Pines cuyo cambio cuenta como un toque, como el de un sensor de movimiento: [0].',
    'update.channel':
      'Dirección de la lista de versiones que este panel puede tener (channel.json). Sin ella no se busca ninguna.',
    'update.login':
      'Acceso al servidor de update.channel (autenticación HTTP): {"username":"panel","password":"…"}.',
    'update.window':
      'Cuándo el panel puede tomar por sí mismo una versión más nueva de su canal, en hora local: 02:00-04:00. Sin ella, solo a mano.',
    'update.keys':
      'Archivo PEM de los certificados cuyas claves pueden firmar versiones. Solo por entorno u opción.',
    'log.level': 'Nivel mínimo que se anota en el registro.',
  },
};
