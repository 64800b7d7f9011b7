import type { CertificatesService } from '../certificates/service.ts';
import { type Core, definePart } from '../part.ts';
import { httpRequestCommands } from './contract.ts';
import { DeviceRequest } from './deviceRequest.ts';
import { HttpRequestService } from './service.ts';

/** Requests to devices on the network. */
export const httpRequest = definePart(
  'httpRequest',
  ({ certificates, targets, clock }: Core & { readonly certificates: CertificatesService }) =>
    new HttpRequestService({ driver: new DeviceRequest(certificates), targets, clock }),
).answering(httpRequestCommands);
