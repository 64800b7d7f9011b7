import type { WordsFor } from '../../contract/device.ts';

/**
 * What a camera does against the rules, or in an unusual way, and the panel repairs: English, German, Spanish.
 * The English sentence is what `stream.inspect` answers.
 */
export const mendedWords = {
  // The stream
  mended_marker: [
    'The camera does not mark the end of each picture, or marks more than that; the panel sets the marks.',
    'Die Kamera markiert nicht das Ende jedes Bilds, oder mehr als das; das Panel setzt die Marken.',
    'La cámara no marca el final de cada imagen, o marca más que eso; el panel pone las marcas.',
  ],
  mended_annexB: [
    'The camera puts start codes into its packets; the panel takes the units apart.',
    'Die Kamera schreibt Startcodes in ihre Pakete; das Panel trennt die Einheiten.',
    'La cámara pone códigos de inicio en sus paquetes; el panel separa las unidades.',
  ],
  mended_fragments: [
    'The camera writes wrong headers on the fragments of its pictures; the panel writes the right ones.',
    'Die Kamera schreibt falsche Köpfe an die Teile ihrer Bilder; das Panel schreibt die richtigen.',
    'La cámara pone cabeceras erróneas en los fragmentos de sus imágenes; el panel pone las correctas.',
  ],
  mended_unusable: [
    'The camera sends packets that no browser decodes; the panel leaves them out.',
    'Die Kamera sendet Pakete, die kein Browser dekodiert; das Panel lässt sie weg.',
    'La cámara envía paquetes que ningún navegador descodifica; el panel los omite.',
  ],
  mended_setsTimestamp: [
    'The camera sends what begins a picture with the time of the picture before; the panel moves it.',
    'Die Kamera sendet den Anfang eines Bilds mit der Zeit des Bilds davor; das Panel verschiebt ihn.',
    'La cámara envía el comienzo de una imagen con la hora de la anterior; el panel lo mueve.',
  ],
  mended_setsFromSdp: [
    'The camera does not send its parameter sets with each key frame; the panel adds them.',
    'Die Kamera sendet ihre Parametersätze nicht mit jedem Keyframe; das Panel ergänzt sie.',
    'La cámara no envía sus conjuntos de parámetros con cada fotograma clave; el panel los añade.',
  ],
  mended_setsInSdp: [
    'The description of the camera has its parameter sets in the wrong place or form; the panel finds them.',
    'Die Beschreibung der Kamera hat die Parametersätze am falschen Ort oder in falscher Form; das Panel findet sie.',
    'La descripción de la cámara tiene los conjuntos de parámetros en otro lugar o forma; el panel los encuentra.',
  ],
  mended_brokenSets: [
    'The camera sends parameter sets that cannot be read; the panel leaves them out.',
    'Die Kamera sendet Parametersätze, die nicht lesbar sind; das Panel lässt sie weg.',
    'La cámara envía conjuntos de parámetros ilegibles; el panel los omite.',
  ],
  mended_timestampJump: [
    'The clock of the camera jumps; the panel goes on with its own time.',
    'Die Uhr der Kamera springt; das Panel führt die Zeit selbst weiter.',
    'El reloj de la cámara salta; el panel continúa con su propia hora.',
  ],
  mended_timestampRepeated: [
    'The camera sends several pictures with one time; the panel tells them apart.',
    'Die Kamera sendet mehrere Bilder mit einer Zeit; das Panel hält sie auseinander.',
    'La cámara envía varias imágenes con una misma hora; el panel las distingue.',
  ],
  mended_payloadType: [
    'The camera sends another payload type than it describes; the panel takes it.',
    'Die Kamera sendet einen anderen Payload-Typ, als sie beschreibt; das Panel nimmt ihn.',
    'La cámara envía otro tipo de carga que el que describe; el panel lo acepta.',
  ],
  mended_sharedChannel: [
    'The camera sends sound and picture on one channel; the panel tells them apart.',
    'Die Kamera sendet Ton und Bild auf einem Kanal; das Panel trennt sie.',
    'La cámara envía sonido e imagen por un mismo canal; el panel los separa.',
  ],
  // The connection
  mended_noOptions: [
    'The camera does not answer OPTIONS; the panel does without.',
    'Die Kamera beantwortet OPTIONS nicht; das Panel kommt ohne aus.',
    'La cámara no responde a OPTIONS; el panel prescinde de ello.',
  ],
  mended_strayBytes: [
    'The camera sends stray bytes between its packets; the panel skips them.',
    'Die Kamera sendet zwischen ihren Paketen fremde Bytes; das Panel überspringt sie.',
    'La cámara envía bytes sueltos entre sus paquetes; el panel los salta.',
  ],
  mended_closesAtLogin: [
    'The camera closes the connection when it asks for the login; the panel connects again.',
    'Die Kamera schließt die Verbindung, wenn sie nach der Anmeldung fragt; das Panel verbindet sich neu.',
    'La cámara cierra la conexión al pedir el usuario; el panel se conecta de nuevo.',
  ],
  mended_weakerLogin: [
    'The strongest kind of login that the camera offers does not work; the panel uses the next.',
    'Die stärkste Art der Anmeldung, die die Kamera anbietet, geht nicht; das Panel nimmt die nächste.',
    'El tipo de acceso más fuerte que ofrece la cámara no funciona; el panel usa el siguiente.',
  ],
  mended_wrongLength: [
    'The camera gives a wrong length of its description; the panel finds the end.',
    'Die Kamera nennt eine falsche Länge ihrer Beschreibung; das Panel findet das Ende.',
    'La cámara da una longitud errónea de su descripción; el panel encuentra el final.',
  ],
  mended_wrongBase: [
    'The camera gives an address of its stream that leads nowhere; the panel uses the one that was called.',
    'Die Kamera nennt eine Adresse ihres Stroms, die ins Leere führt; das Panel nimmt die gerufene.',
    'La cámara da una dirección de su flujo que no lleva a nada; el panel usa la llamada.',
  ],
  mended_oddControl: [
    'The addresses of the tracks are not built by the rules; the panel finds them.',
    'Die Adressen der Spuren sind nicht nach den Regeln gebildet; das Panel findet sie.',
    'Las direcciones de las pistas no siguen las reglas; el panel las encuentra.',
  ],
  mended_soundRefused: [
    'The camera refuses its sound; the panel shows the picture alone.',
    'Die Kamera verweigert ihren Ton; das Panel zeigt das Bild allein.',
    'La cámara rechaza su sonido; el panel muestra solo la imagen.',
  ],
  mended_keepAlive: [
    'The usual keep-alive ends the sessions of the camera; the panel uses another.',
    'Das übliche Lebenszeichen beendet die Sitzungen der Kamera; das Panel nimmt ein anderes.',
    'La señal de vida habitual termina las sesiones de la cámara; el panel usa otra.',
  ],
} satisfies WordsFor;

/** A repair in a camera's stream or connection. */
export type Finding = NameOf<keyof typeof mendedWords>;
type NameOf<Key extends string> = Key extends `mended_${infer Name}` ? Name : never;

/** The sentences of these findings, in the order of the table. */
export function mendedSentences(findings: Iterable<Finding>): string[] {
  const found = new Set<string>([...findings].map((finding) => `mended_${finding}`));
  return Object.entries(mendedWords).flatMap(([name, [english]]) => (found.has(name) ? [english] : []));
}
