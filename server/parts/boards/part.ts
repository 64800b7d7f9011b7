import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { systemCommands } from '../../contract/system.ts';
import type { ButtonsService } from '../buttons/service.ts';
import type { ClimateService } from '../climate/service.ts';
import type { GpioService } from '../gpio/service.ts';
import type { IrService } from '../ir/service.ts';
import { type Core, definePart } from '../part.ts';
import type { ProximityService } from '../proximity/service.ts';
import type { ReadersService } from '../readers/service.ts';
import type { SerialService } from '../serial/service.ts';

interface Needs {
  readonly gpio: GpioService;
  readonly climate: ClimateService;
  readonly proximity: ProximityService;
  readonly buttons: ButtonsService;
  readonly readers: ReadersService;
  readonly ir: IrService;
  readonly serial: SerialService;
}

/** The outside world of a simulated board, as callers play it. */
export const simulation = definePart(
  'simulation',
  ({ gpio, climate, proximity, buttons, readers, ir, serial }: Core & Needs) => ({
    /** @throws FaceplateError as the part that it is meant for */
    simulate: async (params: ParamsOf<'system.simulate'>): Promise<ResultOf<'system.simulate'>> => {
      if (params.part === 'gpio') await gpio.simulate(params);
      else if (params.part === 'climate') await climate.simulate(params);
      else if (params.part === 'proximity') await proximity.simulate(params);
      else if (params.part === 'button') await buttons.simulate(params);
      else if (params.part === 'scan') await readers.simulate(params);
      else if (params.part === 'ir') await ir.simulate(params);
      else await serial.simulate(params);
      return { status: 'ok' };
    },
  }),
).answering({ 'system.simulate': systemCommands['system.simulate'] });
