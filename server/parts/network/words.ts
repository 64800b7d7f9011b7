import type { WordsFor } from '../../contract/device.ts';
import type { networkCommands } from './contract.ts';

/** The view in the menu: its name and its place. */
export const networkMenu = { network: ['connections', 10] };

/** What the app says of it. */
export const networkWords = {
  network: ['Network and time', 'Netzwerk und Zeit', 'Red y hora'],
  part_network: ['Network', 'Netzwerk', 'Red'],
  networkSettings: ['Name and network access', 'Name und Netzzugang', 'Nombre y acceso a la red'],
  kind: ['Kind', 'Art', 'Tipo'],
  change: ['Change', 'Ändern', 'Cambiar'],
  password: ['Password', 'Passwort', 'Contraseña'],
  interfaces: ['Connections', 'Verbindungen', 'Conexiones'],
  gateway: ['Router', 'Router', 'Router'],
  prefix: ['Length of the prefix', 'Präfixlänge', 'Longitud del prefijo'],
  networkAuto: ['Address from the network', 'Adresse vom Netzwerk', 'Dirección de la red'],
  networkHint: [
    'The change holds for 60 seconds. Unless it is confirmed from the new address, everything is as before.',
    'Die Änderung gilt 60 Sekunden. Wird sie nicht von der neuen Adresse aus bestätigt, ist alles wie vorher.',
    'El cambio vale 60 segundos. Si no se confirma desde la nueva dirección, todo vuelve a ser como antes.',
  ],
  networkConfirm: [
    'The network was changed. In {seconds} s it is as before, unless you keep it.',
    'Das Netzwerk wurde geändert. In {seconds} s ist es wie vorher, wenn Sie es nicht behalten.',
    'La red ha cambiado. En {seconds} s vuelve a ser como antes, si no la conserva.',
  ],
  networkKeep: ['Keep it', 'Behalten', 'Conservar'],
  networkKept: ['The change stays.', 'Die Änderung bleibt.', 'El cambio se conserva.'],
  connectivity: ['Reach', 'Reichweite', 'Alcance'],
  connectivity_full: ['the internet', 'das Internet', 'internet'],
  connectivity_limited: [
    'the local network, not the internet',
    'das lokale Netzwerk, nicht das Internet',
    'la red local, no internet',
  ],
  connectivity_portal: [
    'This network wants a login in a browser before it lets the panel out. Sign in from another device, or ask for the panel to be let through.',
    'Dieses Netzwerk verlangt eine Anmeldung im Browser, bevor es das Panel hinauslässt. Melden Sie sich an einem anderen Gerät an, oder lassen Sie das Panel freischalten.',
    'Esta red exige iniciar sesión en un navegador antes de dejar salir al panel. Inicie sesión desde otro dispositivo o pida que se autorice el panel.',
  ],
  connectivity_none: ['nothing', 'nichts', 'nada'],
  wifi: ['Wi-Fi', 'WLAN', 'Wi-Fi'],
  noWifi: ['No network in reach.', 'Kein Netzwerk in Reichweite.', 'Ninguna red al alcance.'],
  wifiActive: ['connected', 'verbunden', 'conectada'],
  wifiOpen: ['open', 'offen', 'abierta'],
  wifiLocked: ['password needed', 'Passwort nötig', 'con contraseña'],
  wifiCannot: ['joined by the system only', 'nur vom System aus verbindbar', 'solo la conecta el sistema'],
  wifiSignal: ['Signal {percent} %', 'Signal {percent} %', 'Señal {percent} %'],
  wifiOther: ['Other network…', 'Anderes Netzwerk …', 'Otra red…'],
  wifiName: ['Name of the network', 'Name des Netzwerks', 'Nombre de la red'],
  wifiShowPassword: ['Show the password', 'Passwort anzeigen', 'Mostrar la contraseña'],
  wifiJoining: ['Connecting…', 'Wird verbunden …', 'Conectando…'],
  join: ['Join', 'Verbinden', 'Conectar'],
} satisfies WordsFor;

/** What its commands do. */
export const networkCommandWords = {
  'network.state': ['Read the network', 'Das Netzwerk lesen', 'Leer la red'],
  'network.change': [
    'Change the network address',
    'Die Netzwerkadresse ändern',
    'Cambiar la dirección de red',
  ],
  'network.confirm': [
    'Keep the new network address',
    'Die neue Netzwerkadresse behalten',
    'Conservar la nueva dirección de red',
  ],
  'network.wifi': ['List Wi-Fi networks', 'WLAN-Netzwerke auflisten', 'Listar redes Wi-Fi'],
  'network.join': ['Join a Wi-Fi network', 'Ein WLAN-Netzwerk verbinden', 'Conectar a una red Wi-Fi'],
} satisfies WordsFor<keyof typeof networkCommands>;
