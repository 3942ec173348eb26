package inventory

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	manifestName = "manifest.json"
	checksumName = "manifest.checksum"
	// maxManifest bounds what is read of a manifest: a file takes about 200
	// bytes of it, and a file holds millions of rows.
	maxManifest = 64 << 20
)

// readManifest returns what a manifest says after its checksum agreed.
func readManifest(ctx context.Context, files Files, key string) (Manifest, error) {
	text, err := readSmall(ctx, files, key)
	if err != nil {
		return Manifest{}, fmt.Errorf("read the inventory's manifest.json: %w", err)
	}
	checksum, err := readSmall(ctx, files, path.Join(path.Dir(key), checksumName))
	if err != nil {
		return Manifest{}, fmt.Errorf("read the manifest.checksum beside manifest.json (without it the inventory is not complete; wait for it or take another): %w", err)
	}
	sum := md5.Sum(text)
	if !strings.EqualFold(string(bytes.TrimSpace(checksum)), hex.EncodeToString(sum[:])) {
		return Manifest{}, errors.New("manifest.json does not match its manifest.checksum: fetch both again, or take another inventory")
	}
	m, err := parseManifest(text)
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest.json: %w", err)
	}
	m.Prefix, m.Config = delivered(m.SourceBucket, key, m.Files)
	return m, nil
}

// readSmall returns the whole of a small file.
func readSmall(ctx context.Context, files Files, key string) ([]byte, error) {
	f, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxManifest {
		return nil, tooLarge(f.Size())
	}
	return io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
}

func tooLarge(size int64) error {
	return fmt.Errorf("it has %d bytes, more than the %d a manifest may have", size, maxManifest)
}

// manifestJSON is the part of manifest.json that is used; an unknown version
// and unknown members are fine.
type manifestJSON struct {
	SourceBucket      string          `json:"sourceBucket"`
	DestinationBucket string          `json:"destinationBucket"`
	CreationTimestamp json.RawMessage `json:"creationTimestamp"` // a string, or a number
	FileFormat        string          `json:"fileFormat"`
	FileSchema        string          `json:"fileSchema"`
	Files             []struct {
		Key  string `json:"key"`
		Size *int64 `json:"size"`
		MD5  string `json:"MD5checksum"`
	} `json:"files"`
}

func parseManifest(text []byte) (Manifest, error) {
	var in manifestJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return Manifest{}, fmt.Errorf("not the JSON of an S3 Inventory manifest: %w", err)
	}
	m := Manifest{SourceBucket: in.SourceBucket, Schema: in.FileSchema}
	if m.SourceBucket == "" {
		return Manifest{}, errors.New("no sourceBucket: is it the manifest of an S3 Inventory?")
	}
	var err error
	if m.Destination, err = bucketName(in.DestinationBucket); err != nil {
		return Manifest{}, err
	}
	if m.Created, err = parseCreated(strings.Trim(string(in.CreationTimestamp), `"`)); err != nil {
		return Manifest{}, err
	}
	if m.Format, err = parseFormat(in.FileFormat); err != nil {
		return Manifest{}, err
	}
	if in.Files == nil {
		return Manifest{}, errors.New("no list of files: is it the manifest of an S3 Inventory?")
	}
	seen := make(map[string]bool, len(in.Files))
	for i, f := range in.Files {
		sum, err := hex.DecodeString(f.MD5)
		switch {
		case f.Key == "":
			return Manifest{}, fmt.Errorf("file %d has no key", i+1)
		case seen[f.Key]:
			return Manifest{}, fmt.Errorf("file %d is listed twice: its rows would count twice", i+1)
		case f.Size == nil || *f.Size < 0:
			return Manifest{}, fmt.Errorf("file %d has no size: it could not be verified", i+1)
		case err != nil || len(sum) != md5.Size:
			return Manifest{}, fmt.Errorf("file %d has no MD5checksum of 32 hexadecimal digits: it could not be verified", i+1)
		}
		seen[f.Key] = true
		m.Files = append(m.Files, Stated{Key: f.Key, Size: *f.Size, MD5: [md5.Size]byte(sum)})
	}
	return m, nil
}

// bucketName takes a bucket's name or its ARN, of any partition
// (arn:aws-cn:s3:::name).
func bucketName(s string) (string, error) {
	if !strings.HasPrefix(s, "arn:") {
		return s, nil
	}
	parts := strings.SplitN(s, ":", 6)
	if len(parts) != 6 || parts[2] != "s3" || parts[5] == "" {
		return "", errors.New("destinationBucket is not the ARN of a bucket (arn:aws:s3:::name)")
	}
	return parts[5], nil
}

// parseCreated takes milliseconds since 1970, as AWS writes them, or seconds,
// as Alibaba OSS does. The number of digits tells them apart until 2286.
func parseCreated(s string) (time.Time, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err == nil && n > 0 && len(s) == 13:
		return time.UnixMilli(n).UTC(), nil
	case err == nil && n > 0 && len(s) == 10:
		return time.Unix(n, 0).UTC(), nil
	}
	return time.Time{}, errors.New("creationTimestamp is neither 13 digits (milliseconds since 1970) nor 10 (seconds): when the listing began is not known, so nothing can be judged")
}

func parseFormat(s string) (Format, error) {
	for _, f := range []Format{CSV, Parquet, ORC} {
		if strings.EqualFold(s, string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("fileFormat %q is none of CSV, Parquet, ORC", s)
}

// delivered takes prefix and configuration from where the inventory lies:
// <prefix>/<bucket>/<config>/<stamp>/manifest.json, and beside the stamp
// data/<file>. A manifest that was moved is judged by its files.
func delivered(bucket, manifestKey string, files []Stated) (prefix, config string) {
	keys := []string{manifestKey}
	if len(files) > 0 {
		keys = append(keys, files[0].Key)
	}
	for _, key := range keys {
		folder := strings.Split(key, "/")
		n := len(folder) - 4
		if n < 0 || folder[n] != bucket {
			continue
		}
		if n > 0 {
			prefix = strings.Join(folder[:n], "/") + "/"
		}
		return prefix, folder[n+1]
	}
	return "", ""
}
