import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import { DateTime } from './fields.ts'

export const ImageUploadedMessage = z
  .object({
    message: z.string().meta({ examples: ['Image uploaded successfully'] }),
    imageUrl: z.url().meta({ description: doc('The URL where the uploaded image can be accessed') }),
    uploadedAt: DateTime.meta({ description: doc('When the image was uploaded') }),
    fileSize: z.int().meta({ description: doc('Size of the image in bytes'), examples: [1_048_576] }),
    mimeType: z
      .string()
      .meta({ description: doc('The media type, detected from the content of the image'), examples: ['image/jpeg'] }),
  })
  .meta({
    id: 'ImageUploadedMessage',
    description: doc('The result of an image upload'),
    xml: { name: 'imageUploadedMessage' },
    // The API reference does not list this schema.
    'x-scalar-ignore': true,
    examples: [
      {
        message: 'Image uploaded successfully',
        imageUrl: `${EXAMPLE_ORIGIN}/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png`,
        uploadedAt: '2024-01-15T14:30:00.000Z',
        fileSize: 1_048_576,
        mimeType: 'image/png',
      },
    ],
  })
