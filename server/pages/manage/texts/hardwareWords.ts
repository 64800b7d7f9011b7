/** What the view of the hardware says: English, German, Spanish. */
export const hardwareWords = {
  // The call beside each button
  callWord: ['How to call it', 'So wird es aufgerufen', 'Cómo se llama'],
  callOf: ['How to call {command}', 'So wird {command} aufgerufen', 'Cómo se llama a {command}'],
  callInPage: ['In the page of a project', 'In der Seite eines Projekts', 'En la página de un proyecto'],
  callNotInPage: [
    'Pages do not have {command}; programs call it over HTTP.',
    'Seiten haben {command} nicht; Programme rufen es über HTTP auf.',
    'Las páginas no tienen {command}; los programas lo llaman por HTTP.',
  ],
  callScope: [
    'The token needs the scope "{scope}".',
    'Das Token braucht das Recht „{scope}“.',
    'El token necesita el permiso «{scope}».',
  ],
  copyOf: ['Copy {name}', '{name} kopieren', 'Copiar {name}'],
  toSend: ['To send', 'Zu senden', 'Para enviar'],

  // Parts
  part_terminal: ['Command line', 'Befehlszeile', 'Línea de órdenes'],
  part_led: ['LED bar', 'LED-Leiste', 'Barra LED'],
  part_gpio: ['Pins and relays', 'Pins und Relais', 'Pines y relés'],
  part_udp: ['UDP', 'UDP', 'UDP'],
  part_serial: ['Serial port', 'Serielle Schnittstelle', 'Puerto serie'],
  part_rtc: ['Wake alarm', 'Wecker', 'Despertador'],
  part_power: ['Power', 'Ein und aus', 'Encendido'],
  part_apps: ['Programs', 'Programme', 'Programas'],
  part_network: ['Network', 'Netzwerk', 'Red'],
  part_time: ['Time', 'Uhrzeit', 'Hora'],

  // Pins
  pins: ['Pins and relays', 'Pins und Relais', 'Pines y relés'],
  pinNumber: ['pin {pin}', 'Pin {pin}', 'pin {pin}'],
  levelHigh: ['high', 'high', 'alto'],
  levelLow: ['low', 'low', 'bajo'],
  levelClosed: ['closed', 'geschlossen', 'cerrado'],
  levelOpen: ['open', 'offen', 'abierto'],
  levelUnknown: ['not read yet', 'noch nicht gelesen', 'aún sin leer'],
  pinEdges: [
    '{edges} changes since the start, the last: {time}.',
    '{edges} Wechsel seit dem Start, der letzte: {time}.',
    '{edges} cambios desde el inicio, el último: {time}.',
  ],
  pulseUntil: ['Pulse until {time}.', 'Impuls bis {time}.', 'Pulso hasta {time}.'],
  pinLocked: [
    'Locked by pin {pin}: it may not be switched on now.',
    'Verriegelt durch Pin {pin}: darf jetzt nicht eingeschaltet werden.',
    'Bloqueado por el pin {pin}: ahora no se puede encender.',
  ],
  switchPin: ['Switch {label}', '{label} schalten', 'Conmutar {label}'],
  pulse: ['Pulse', 'Impuls', 'Pulso'],
  pulseOf: ['Pulse {label}', 'Impuls an {label}', 'Pulso en {label}'],
  pulseMs: ['Pulse of {label} in ms', 'Impuls an {label} in ms', 'Pulso en {label} en ms'],
  pulseBegun: [
    '{label} is on for {ms} ms.',
    '{label} ist für {ms} ms an.',
    '{label} está encendido {ms} ms.',
  ],
  outsideOf: [
    'Play the outside at {label}',
    'Außenwelt an {label} spielen',
    'Simular el exterior en {label}',
  ],
  outsideHigh: ['From outside: high', 'Von außen: high', 'Desde fuera: alto'],
  outsideLow: ['From outside: low', 'Von außen: low', 'Desde fuera: bajo'],

  // LED bar
  ledBar: ['LED bar', 'LED-Leiste', 'Barra LED'],
  red: ['Red', 'Rot', 'Rojo'],
  green: ['Green', 'Grün', 'Verde'],
  blue: ['Blue', 'Blau', 'Azul'],

  // Serial and UDP
  serialTerminal: ['Serial terminal', 'Serielles Terminal', 'Terminal serie'],
  baudRate: ['Baud', 'Baud', 'Baudios'],
  line_open: ['open', 'offen', 'abierto'],
  line_closed: ['closed', 'geschlossen', 'cerrado'],
  line_lost: ['unplugged', 'abgezogen', 'desconectado'],
  listen: ['Show what arrives', 'Zeigen, was ankommt', 'Mostrar lo que llega'],
  traffic: ['What was sent and received', 'Gesendet und empfangen', 'Enviado y recibido'],
  sentMark: ['sent', 'gesendet', 'enviado'],
  receivedMark: ['received', 'empfangen', 'recibido'],
  serialMonitor: ['Serial monitor', 'Serieller Monitor', 'Monitor serie'],
  serialMonitorHint: [
    'All that goes over the serial ports, whoever sends it: pages, programs and Modbus too. It takes nothing away from them.',
    'Alles, was über die seriellen Schnittstellen geht, gleich von wem: auch von Seiten, Programmen und Modbus. Es nimmt ihnen nichts weg.',
    'Todo lo que pasa por los puertos serie, lo envíe quien lo envíe: también páginas, programas y Modbus. No les quita nada.',
  ],
  lookOn: ['Look on', 'Mitlesen', 'Observar'],
  allPorts: ['all ports', 'alle Schnittstellen', 'todos los puertos'],
  writing: ['Written as', 'Geschrieben als', 'Escrito como'],
  asText: ['text', 'Text', 'texto'],
  asHex: ['hex', 'Hex', 'hex'],
  lineEnd: ['Line end', 'Zeilenende', 'Fin de línea'],
  end_none: ['none', 'keines', 'ninguno'],
  end_cr: ['CR', 'CR', 'CR'],
  end_lf: ['LF', 'LF', 'LF'],
  end_crlf: ['CR LF', 'CR LF', 'CR LF'],
  peerSends: ['Let the other end send it', 'Die Gegenstelle senden lassen', 'Que lo envíe el otro extremo'],
  udpTerminal: ['UDP', 'UDP', 'UDP'],
  udpHint: [
    'One datagram to an address of the local network.',
    'Ein Datagramm an eine Adresse im lokalen Netz.',
    'Un datagrama a una dirección de la red local.',
  ],
  udpHost: ['IP address', 'IP-Adresse', 'Dirección IP'],
  udpSent: [
    '{bytes} bytes have left for {to}.',
    '{bytes} Bytes sind an {to} gegangen.',
    'Han salido {bytes} bytes hacia {to}.',
  ],

  // Command line
  commandLine: ['Command line', 'Befehlszeile', 'Línea de órdenes'],
  commandLineHint: [
    'Runs a command on the panel, for 30 s at most. Only a token with the scope "terminal" may.',
    'Führt einen Befehl auf dem Panel aus, höchstens 30 s lang. Das darf nur ein Token mit dem Recht „terminal“.',
    'Ejecuta una orden en el panel, 30 s como máximo. Solo puede un token con el permiso «terminal».',
  ],
  shellCommand: ['Command', 'Befehl', 'Orden'],
  exitCode: [
    'Exit code {code}, {duration}',
    'Rückgabewert {code}, {duration}',
    'Código de salida {code}, {duration}',
  ],
} as const satisfies Readonly<Record<string, readonly [string, string, string]>>;
