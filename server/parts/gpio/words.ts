import type { WordsFor } from '../../contract/device.ts';
import type { gpioCommands } from './contract.ts';

/** What the app says of it. */
export const gpioWords = {
  part_gpio: ['Pins and relays', 'Pins und Relais', 'Pines y relés'],
  pins: ['Pins and relays', 'Pins und Relais', 'Pines y relés'],
  pinNumber: ['pin {pin}', 'Pin {pin}', 'pin {pin}'],
  levelHigh: ['high', 'high', 'alto'],
  levelLow: ['low', 'low', 'bajo'],
  levelClosed: ['closed', 'geschlossen', 'cerrado'],
  levelOpen: ['open', 'offen', 'abierto'],
  levelUnknown: ['not read yet', 'noch nicht gelesen', 'aún sin leer'],
  pinEdges: [
    'Changes since the start: {edges}. Last: {time}.',
    'Wechsel seit dem Start: {edges}. Zuletzt: {time}.',
    'Cambios desde el inicio: {edges}. Último: {time}.',
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
  simulator: ['Simulator', 'Simulator', 'Simulador'],
  simulatorHint: [
    'This board is simulated: here you play what is wired to its inputs.',
    'Diese Platine ist simuliert: Hier spielen Sie, was an ihren Eingängen hängt.',
    'Esta placa es simulada: aquí representa lo conectado a sus entradas.',
  ],
  outsideHigh: ['{label}: set high', '{label}: auf high setzen', '{label}: poner en alto'],
  outsideLow: ['{label}: set low', '{label}: auf low setzen', '{label}: poner en bajo'],
} satisfies WordsFor;

/** What its commands do. */
export const gpioCommandWords = {
  'gpio.write': ['Switch a pin or relay', 'Einen Pin oder ein Relais schalten', 'Conmutar un pin o un relé'],
  'gpio.read': ['Read a pin or relay', 'Einen Pin oder ein Relais lesen', 'Leer un pin o un relé'],
  'gpio.edges': [
    'Read the last changes of the pins',
    'Die letzten Änderungen der Pins lesen',
    'Leer los últimos cambios de los pines',
  ],
  'gpio.list': ['Read all pins and relays', 'Alle Pins und Relais lesen', 'Leer todos los pines y relés'],
  'gpio.pulse': [
    'Switch a pin or relay for a time',
    'Einen Pin oder ein Relais für eine Zeit schalten',
    'Conmutar un pin o un relé un tiempo',
  ],
} satisfies WordsFor<keyof typeof gpioCommands>;
