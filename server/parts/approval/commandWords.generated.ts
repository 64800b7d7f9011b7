// Generated from words.ts of all folders by build/generate/main.ts. Do not edit it.
import { configCommandWords } from '../../config/words.ts';
import { contractCommandWords } from '../../contract/words.ts';
import { intercomCommandWords } from '../../intercom/words.ts';
import { kioskCommandWords } from '../../kiosk/words.ts';
import { videoCommandWords } from '../../video/words.ts';
import { accessCommandWords } from '../access/words.ts';
import { appsCommandWords } from '../apps/words.ts';
import { backupCommandWords } from '../backup/words.ts';
import { certificatesCommandWords } from '../certificates/words.ts';
import { climateCommandWords } from '../climate/words.ts';
import { displayCommandWords } from '../display/words.ts';
import { fleetCommandWords } from '../fleet/words.ts';
import { gpioCommandWords } from '../gpio/words.ts';
import { healthCommandWords } from '../health/words.ts';
import { irCommandWords } from '../ir/words.ts';
import { joinsCommandWords } from '../joins/words.ts';
import { journalCommandWords } from '../journal/words.ts';
import { ledCommandWords } from '../led/words.ts';
import { logCommandWords } from '../log/words.ts';
import { messagesCommandWords } from '../messages/words.ts';
import { modbusCommandWords } from '../modbus/words.ts';
import { networkCommandWords } from '../network/words.ts';
import { projectsCommandWords } from '../projects/words.ts';
import { serialCommandWords } from '../serial/words.ts';
import { sleepCommandWords } from '../sleep/words.ts';
import { soundCommandWords } from '../sound/words.ts';
import { tcpCommandWords } from '../tcp/words.ts';
import { terminalCommandWords } from '../terminal/words.ts';
import { timeCommandWords } from '../time/words.ts';
import { udpCommandWords } from '../udp/words.ts';
import { updateCommandWords } from '../update/words.ts';

/** What each command does: English, German, Spanish. */
export const commandWords = {
  ...configCommandWords,
  ...contractCommandWords,
  ...intercomCommandWords,
  ...kioskCommandWords,
  ...accessCommandWords,
  ...appsCommandWords,
  ...backupCommandWords,
  ...certificatesCommandWords,
  ...climateCommandWords,
  ...displayCommandWords,
  ...fleetCommandWords,
  ...gpioCommandWords,
  ...healthCommandWords,
  ...irCommandWords,
  ...joinsCommandWords,
  ...journalCommandWords,
  ...ledCommandWords,
  ...logCommandWords,
  ...messagesCommandWords,
  ...modbusCommandWords,
  ...networkCommandWords,
  ...projectsCommandWords,
  ...serialCommandWords,
  ...sleepCommandWords,
  ...soundCommandWords,
  ...tcpCommandWords,
  ...terminalCommandWords,
  ...timeCommandWords,
  ...udpCommandWords,
  ...updateCommandWords,
  ...videoCommandWords,
};
