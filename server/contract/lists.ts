// Generated from the contracts of all parts by build/generate/main.ts. Do not edit it.
import { settingsCommands } from '../config/contract.ts';
import { intercomCommands } from '../intercom/contract.ts';
import { sipBroker, sipCommands, sipEvents } from '../intercom/sipContract.ts';
import { pageBroker, pageCommands, pageEvents, pageSnapshot } from '../kiosk/contract.ts';
import { liveCommands } from '../kiosk/live/contract.ts';
import { settingsPageCommands } from '../kiosk/settingsPage/contract.ts';
import { tokensCommands } from '../parts/access/contract.ts';
import { appsBroker, appsCommands, appsEvents, appsSnapshot } from '../parts/apps/contract.ts';
import { backupCommands } from '../parts/backup/contract.ts';
import { buttonsBroker, buttonsEvents } from '../parts/buttons/contract.ts';
import { certificatesCommands } from '../parts/certificates/contract.ts';
import { climateBroker, climateCommands, climateEvents, climateSnapshot } from '../parts/climate/contract.ts';
import { displayBroker, displayCommands, displayEvents, displaySnapshot } from '../parts/display/contract.ts';
import { fleetBroker, fleetCommands, fleetEvents } from '../parts/fleet/contract.ts';
import { gpioBroker, gpioCommands, gpioEvents, gpioSnapshot } from '../parts/gpio/contract.ts';
import { healthBroker, healthCommands, healthEvents } from '../parts/health/contract.ts';
import { httpRequestCommands } from '../parts/http/contract.ts';
import { irBroker, irCommands, irEvents } from '../parts/ir/contract.ts';
import { joinBroker, joinEvents, joinsCommands } from '../parts/joins/contract.ts';
import { journalCommands } from '../parts/journal/contract.ts';
import { ledBroker, ledCommands, ledEvents, ledSnapshot } from '../parts/led/contract.ts';
import { logCommands } from '../parts/log/contract.ts';
import { messageBroker, messageCommands, messageEvents } from '../parts/messages/contract.ts';
import { modbusCommands } from '../parts/modbus/contract.ts';
import { networkCommands } from '../parts/network/contract.ts';
import { powerBroker, powerEvents, powerSnapshot } from '../parts/power/contract.ts';
import { projectsBroker, projectsCommands, projectsEvents } from '../parts/projects/contract.ts';
import { readersBroker, readersEvents } from '../parts/readers/contract.ts';
import { serialBroker, serialCommands, serialEvents, serialSnapshot } from '../parts/serial/contract.ts';
import { rtcBroker, rtcCommands, rtcEvents, rtcSnapshot } from '../parts/sleep/contract.ts';
import { soundBroker, soundCommands, soundEvents } from '../parts/sound/contract.ts';
import { tcpBroker, tcpCommands, tcpEvents } from '../parts/tcp/contract.ts';
import { terminalCommands } from '../parts/terminal/contract.ts';
import { timeCommands } from '../parts/time/contract.ts';
import { udpBroker, udpCommands, udpEvents } from '../parts/udp/contract.ts';
import { updateBroker, updateCommands, updateEvents } from '../parts/update/contract.ts';
import { streamBroker, streamCommands, streamEvents, streamSnapshot } from '../video/contract.ts';
import { onvifCommands } from '../video/onvif/onvifContract.ts';
import { snapshotCommands } from '../video/snapshot/snapshotContract.ts';
import { systemCommands } from './system.ts';

export const allCommands = {
  ...terminalCommands,
  ...rtcCommands,
  ...displayCommands,
  ...ledCommands,
  ...gpioCommands,
  ...climateCommands,
  ...serialCommands,
  ...udpCommands,
  ...tcpCommands,
  ...httpRequestCommands,
  ...modbusCommands,
  ...appsCommands,
  ...systemCommands,
  ...streamCommands,
  ...sipCommands,
  ...intercomCommands,
  ...projectsCommands,
  ...fleetCommands,
  ...updateCommands,
  ...settingsCommands,
  ...settingsPageCommands,
  ...certificatesCommands,
  ...tokensCommands,
  ...logCommands,
  ...pageCommands,
  ...liveCommands,
  ...messageCommands,
  ...journalCommands,
  ...healthCommands,
  ...backupCommands,
  ...networkCommands,
  ...timeCommands,
  ...soundCommands,
  ...irCommands,
  ...joinsCommands,
  ...onvifCommands,
  ...snapshotCommands,
} as const;

export const allEvents = {
  ...ledEvents,
  ...gpioEvents,
  ...climateEvents,
  ...rtcEvents,
  ...powerEvents,
  ...serialEvents,
  ...buttonsEvents,
  ...readersEvents,
  ...appsEvents,
  ...streamEvents,
  ...sipEvents,
  ...pageEvents,
  ...messageEvents,
  ...displayEvents,
  ...healthEvents,
  ...soundEvents,
  ...projectsEvents,
  ...fleetEvents,
  ...updateEvents,
  ...udpEvents,
  ...tcpEvents,
  ...irEvents,
  ...joinEvents,
} as const;

export const allStates = {
  ...ledSnapshot,
  ...gpioSnapshot,
  ...climateSnapshot,
  ...rtcSnapshot,
  ...powerSnapshot,
  ...serialSnapshot,
  ...appsSnapshot,
  ...streamSnapshot,
  ...displaySnapshot,
  ...pageSnapshot,
} as const;

export const allBrokerUses = {
  ...ledBroker,
  ...gpioBroker,
  ...climateBroker,
  ...rtcBroker,
  ...powerBroker,
  ...serialBroker,
  ...buttonsBroker,
  ...readersBroker,
  ...appsBroker,
  ...streamBroker,
  ...sipBroker,
  ...pageBroker,
  ...messageBroker,
  ...displayBroker,
  ...healthBroker,
  ...soundBroker,
  ...projectsBroker,
  ...fleetBroker,
  ...updateBroker,
  ...udpBroker,
  ...tcpBroker,
  ...irBroker,
  ...joinBroker,
} as const;
