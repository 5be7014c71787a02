import { z } from 'zod'
import { DateTime } from './fields.ts'

export const ImageUploadedMessage = z
  .object({
    message: z.string().meta({ examples: ['Image uploaded successfully'] }),
    imageUrl: z.url().meta({ description: 'The URL where the uploaded image can be accessed' }),
    uploadedAt: DateTime.meta({ description: 'When the image was uploaded' }),
    fileSize: z.int().meta({ description: 'Size of the image in bytes', examples: [1_048_576] }),
    mimeType: z
      .string()
      .meta({ description: 'Told by the bytes of the image, not by its label', examples: ['image/jpeg'] }),
  })
  .meta({
    id: 'ImageUploadedMessage',
    description: 'Message about an image upload',
    xml: { name: 'imageUploadedMessage' },
  })
