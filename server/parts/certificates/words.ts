import type { WordsFor } from '../../contract/device.ts';
import type { certificatesCommands } from './contract.ts';

/** What the app says of it. */
export const certificatesWords = {
  noCertificates: [
    'No server was refused because of its certificate.',
    'Kein Server wurde wegen seines Zertifikats abgewiesen.',
    'Ningún servidor fue rechazado por su certificado.',
  ],
  certificateHint: [
    'Before you trust it, compare the fingerprint with the one that the device shows.',
    'Vor dem Vertrauen den Fingerabdruck mit dem am Gerät vergleichen.',
    'Compare la huella con la que muestra el dispositivo antes de confiar.',
  ],
  trusted: ['trusted', 'vertraut', 'de confianza'],
  refused: ['refused', 'abgewiesen', 'rechazado'],
  changed: ['has changed', 'hat sich geändert', 'ha cambiado'],
  trust: ['Trust', 'Vertrauen', 'Confiar'],
  trustSure: [
    'Trust exactly this certificate at {place}? {fingerprint}',
    'Genau diesem Zertifikat an {place} vertrauen? {fingerprint}',
    '¿Confiar en este certificado exacto en {place}? {fingerprint}',
  ],
  forget: ['Forget', 'Vergessen', 'Olvidar'],
  serverCertificates: [
    'Certificates of cameras and servers',
    'Zertifikate von Kameras und Servern',
    'Certificados de cámaras y servidores',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const certificatesCommandWords = {
  'certificates.list': ['List certificates', 'Zertifikate auflisten', 'Listar certificados'],
  'certificates.trust': ['Trust a certificate', 'Einem Zertifikat vertrauen', 'Confiar en un certificado'],
  'certificates.forget': [
    'Trust a certificate no more',
    'Einem Zertifikat nicht mehr vertrauen',
    'Dejar de confiar en un certificado',
  ],
} satisfies WordsFor<keyof typeof certificatesCommands>;
